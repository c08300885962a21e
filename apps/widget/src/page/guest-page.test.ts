import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Capture, SelfieCamera } from '../capture/index.ts';
import {
  CameraError,
  type CameraListeners,
  type EngineState,
  type Photo,
  PhotoError,
  type PhotoReview,
} from '../ports.ts';
import { sampleSession } from '../testing/sample-states.ts';
import type { Call, FlowEvent, Notice } from './flow/state.ts';
import { GuestPage } from './guest-page.ts';

const photo: Photo = { jpeg: new Blob(['photo']), width: 4, height: 3 };

/** A camera that a test controls, and through which it tells the page what a camera tells. */
class ScriptedCamera implements SelfieCamera {
  readonly canSwitch = true;
  readonly mirrored = true;
  readonly waitAgain = vi.fn();
  readonly switch = async () => undefined;
  readonly take = async () => photo;
  isOpen = false;
  /** Lets `open` resolve, or reject with an error. */
  ready: (error?: CameraError) => void = () => undefined;

  constructor(readonly tells: CameraListeners) {}

  open() {
    return new Promise<void>((resolve, reject) => {
      this.ready = (error) => {
        this.isOpen = error === undefined;
        if (error === undefined) resolve();
        else reject(error);
      };
    });
  }

  close() {
    this.isOpen = false;
  }
}

/** Photo code that a test controls. */
class ScriptedCapture implements Capture {
  /** In the order of creation. */
  readonly cameras: ScriptedCamera[] = [];
  /** Answers the reviews that were asked for, in order. */
  readonly reviews: ((review: PhotoReview | null) => void)[] = [];
  readonly warmUp = vi.fn();
  readonly coolDown = vi.fn();
  engineIs: (engine: EngineState) => void = () => undefined;
  preparePhoto = async (_file: Blob) => photo;

  review() {
    return new Promise<PhotoReview | null>((resolve) => void this.reviews.push(resolve));
  }

  onEngine(listener: (engine: EngineState) => void) {
    this.engineIs = listener;
  }

  createCamera(tells: CameraListeners) {
    const camera = new ScriptedCamera(tells);
    this.cameras.push(camera);
    return camera;
  }
}

const session = sampleSession();
const offline: FlowEvent = { type: 'unreachable', kind: 'offline', retryAfterMs: null };

let capture: ScriptedCapture;
let loads: number;
let isOnline: boolean;
let calls: { readonly call: Call; readonly answer: (event: FlowEvent) => void; readonly signal: AbortSignal }[];
let told: Notice[];
let waits: { readonly afterMs: number; readonly act: () => void; isOff: boolean }[];
let page: GuestPage;
let isShown: boolean;
let brought: number;
let savesData: boolean;

beforeEach(() => {
  capture = new ScriptedCapture();
  [loads, isOnline, calls, told, waits, isShown, brought, savesData] = [0, true, [], [], [], true, 0, false];
  let keys = 0;
  page = new GuestPage({
    callService: (call, signal) => new Promise((answer) => calls.push({ call, answer, signal })),
    loadCapture() {
      loads += 1;
      return isOnline ? Promise.resolve(capture) : Promise.reject(new TypeError('Failed to fetch'));
    },
    get savesData() {
      return savesData;
    },
    video: {} as HTMLVideoElement,
    picture: {
      isShown: () => isShown,
      async bring() {
        if (!isShown) brought += 1;
        isShown = true;
      },
    },
    showShutter: () => Promise.resolve(),
    tell: (notice) => told.push(notice),
    newKey() {
      keys += 1;
      return `key-${keys}`;
    },
    later(afterMs, act) {
      if (afterMs === 0) act();
      const wait = { afterMs, act, isOff: false };
      waits.push(wait);
      return () => {
        wait.isOff = true;
      };
    },
  });
});

/** Resolves after pending promises have settled. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const step = () => page.machine.state.step;

async function answer(event: FlowEvent): Promise<void> {
  calls.at(-1)?.answer(event);
  await settled();
}

async function agree(): Promise<void> {
  page.machine.dispatch({ type: 'opened', language: null, kept: null });
  await answer({ type: 'session-read', session });
  page.machine.dispatch({ type: 'box-ticked', box: 'explicitBiometricConsent', ticked: true });
  page.machine.dispatch({ type: 'box-ticked', box: 'writtenRelease', ticked: true });
  page.machine.dispatch({ type: 'consent-pressed' });
  await settled();
}

async function openCamera(): Promise<void> {
  await agree();
  capture.cameras[0]?.ready();
  await settled();
}

async function takePhoto(): Promise<void> {
  await openCamera();
  page.machine.dispatch({ type: 'shutter-pressed' });
  await settled();
}

describe('the camera', () => {
  it('shows hints, and takes the photo automatically when steady', async () => {
    await openCamera();
    const [camera] = capture.cameras;
    camera?.tells.onGuidance({ hint: 'come-closer', face: null, held: 0 });
    expect(step()).toMatchObject({ camera: { mode: 'live', guidance: { hint: 'come-closer' } } });
    camera?.tells.onSteady();
    await settled();
    expect(step()).toMatchObject({ name: 'check', photo: { ...photo, source: 'camera', key: 'key-1' } });
    expect(camera?.isOpen).toBe(false);
    // Ignored after the photo.
    camera?.tells.onGuidance({ hint: 'no-face', face: null, held: 0 });
    expect(step().name).toBe('check');
  });

  it('is scrolled into view when it opens, and takes no photo by itself while the guest does not see it', async () => {
    isShown = false;
    await openCamera();
    expect(brought).toBe(1);
    const [camera] = capture.cameras;
    isShown = false;
    camera?.tells.onSteady();
    await settled();
    expect(step()).toMatchObject({ name: 'camera', camera: { busy: null } });
    expect(camera?.waitAgain).toHaveBeenCalledOnce();
    expect(brought).toBe(1);
    isShown = true;
    camera?.tells.onSteady();
    await settled();
    expect(step().name).toBe('check');
  });

  it('comes into view before a photo is taken by hand', async () => {
    await openCamera();
    isShown = false;
    page.machine.dispatch({ type: 'shutter-pressed' });
    await settled();
    expect([step().name, brought]).toEqual(['check', 1]);
  });

  it('is closed if it opens after the guest has left its step', async () => {
    await agree();
    const [camera] = capture.cameras;
    page.machine.dispatch({ type: 'decline-pressed', key: 'd' });
    camera?.ready();
    await settled();
    expect(step().name).toBe('declining');
    page.machine.dispatch({ type: 'back-pressed' });
    expect(capture.cameras).toHaveLength(1);
  });

  it('that does not open, or is lost, says why', async () => {
    await agree();
    capture.cameras[0]?.ready(new CameraError('denied'));
    await settled();
    expect(step()).toMatchObject({ camera: { mode: 'off', problem: 'denied' } });
    page.machine.dispatch({ type: 'camera-pressed' });
    await settled();
    const [, camera] = capture.cameras;
    camera?.tells.onProblem('busy');
    expect(step()).toMatchObject({ camera: { mode: 'off', problem: 'busy' } });
  });

  it('that could not be fetched without a network can be tried again', async () => {
    isOnline = false;
    await agree();
    expect(step()).toMatchObject({ camera: { mode: 'off', problem: 'offline' } });
    isOnline = true;
    page.machine.dispatch({ type: 'camera-pressed' });
    await settled();
    expect(capture.cameras).toHaveLength(1);
  });
});

it('a photo is reviewed before it is sent', async () => {
  await takePhoto();
  expect(step()).toMatchObject({ name: 'check', review: 'coming' });
  capture.reviews[0]?.({ flaw: 'blurred', faces: [] });
  await settled();
  expect(step()).toMatchObject({ name: 'check', review: { flaw: 'blurred' } });
});

describe('the engine', () => {
  it('is fetched with the first tick, not before, and says how far it is', async () => {
    page.machine.dispatch({ type: 'opened', language: null, kept: null });
    await answer({ type: 'session-read', session });
    expect(loads).toBe(0);
    page.machine.dispatch({ type: 'box-ticked', box: 'under16', ticked: true });
    await settled();
    expect(capture.warmUp).toHaveBeenCalledOnce();
    capture.engineIs({ name: 'loading', progress: 0.25 });
    expect(page.machine.state.engine).toEqual({ name: 'loading', progress: 0.25 });
  });

  it('is not fetched ahead where data is to be saved, but on request', async () => {
    savesData = true;
    await openCamera();
    expect(capture.warmUp).not.toHaveBeenCalled();
    page.machine.dispatch({ type: 'engine-wanted' });
    await settled();
    expect(capture.warmUp).toHaveBeenCalledOnce();
  });

  it('ends with the flow', async () => {
    await openCamera();
    expect(capture.coolDown).not.toHaveBeenCalled();
    page.machine.dispatch({ type: 'decline-pressed', key: 'key' });
    await answer({ type: 'declined' });
    expect(step().name).toBe('declined');
    expect(capture.coolDown).toHaveBeenCalled();
  });
});

describe('a file', () => {
  const file = new Blob(['file']);

  it('replaces the camera', async () => {
    await openCamera();
    page.machine.dispatch({ type: 'file-chosen', file });
    expect(capture.cameras[0]?.isOpen).toBe(false);
    await settled();
    expect(step()).toMatchObject({ name: 'check', photo: { source: 'file', mirrored: false } });
  });

  it('is ignored after another one was chosen', async () => {
    const refusals: ((cause: Error) => void)[] = [];
    await openCamera();
    const { preparePhoto } = capture;
    capture.preparePhoto = () => new Promise((_resolve, reject) => refusals.push(reject));
    page.machine.dispatch({ type: 'file-chosen', file });
    await settled();
    capture.preparePhoto = preparePhoto;
    page.machine.dispatch({ type: 'back-pressed' });
    page.machine.dispatch({ type: 'consent-pressed' });
    page.machine.dispatch({ type: 'file-chosen', file: new Blob(['another']) });
    for (const refuse of refusals) refuse(new PhotoError('image-invalid'));
    await settled();
    expect(refusals).toHaveLength(1);
    expect(step()).toMatchObject({ name: 'check', photo: { source: 'file' } });
  });

  it('that is no photo, or could not be converted without a network, says why', async () => {
    await openCamera();
    capture.preparePhoto = () => Promise.reject(new PhotoError('too-large'));
    page.machine.dispatch({ type: 'file-chosen', file });
    await settled();
    expect(step()).toMatchObject({ name: 'camera', fileProblem: 'too-large' });
    isOnline = false;
    page.machine.dispatch({ type: 'file-chosen', file });
    await settled();
    expect(step()).toMatchObject({ name: 'camera', fileProblem: 'offline' });
  });
});

describe('the service', () => {
  it('is retried later under the same key, and immediately once the network is back', async () => {
    await takePhoto();
    page.machine.dispatch({ type: 'send-pressed' });
    await answer(offline);
    expect(step()).toMatchObject({ name: 'sending', trouble: { kind: 'offline', tries: 1 }, photo });
    expect(waits.at(-1)).toMatchObject({ afterMs: 1_000, isOff: false });
    page.machine.dispatch({ type: 'online' });
    expect(waits.at(-2)).toMatchObject({ afterMs: 1_000, isOff: true });
    const sent = calls.filter(({ call }) => call.to === 'enrol');
    expect(sent.map(({ call }) => call.to === 'enrol' && call.photo.key)).toEqual(['key-1', 'key-1']);
    await answer({ type: 'enrolled', deleteAfter: session.deleteAfter });
    expect(step().name).toBe('done');
    expect(told.map(({ type }) => type)).toEqual(['ready', 'enrolled']);
  });

  it('gets one request at a time, and an answer to an earlier one is ignored', async () => {
    page.machine.dispatch({ type: 'opened', language: null, kept: null });
    await answer({ type: 'session-read', session });
    page.machine.dispatch({ type: 'language-chosen', language: 'de' });
    const [, slow] = calls;
    page.machine.dispatch({ type: 'opened', language: null, kept: null });
    expect(slow?.signal.aborted).toBe(true);
    slow?.answer({ type: 'session-read', session: sampleSession('de') });
    await settled();
    expect(step().name).toBe('loading');
  });

  it('is not asked again after the guest took back declining', async () => {
    page.machine.dispatch({ type: 'opened', language: null, kept: null });
    await answer({ type: 'session-read', session });
    page.machine.dispatch({ type: 'decline-pressed', key: 'd' });
    await answer(offline);
    const waiting = waits.at(-1);
    page.machine.dispatch({ type: 'back-pressed' });
    expect(waiting?.isOff).toBe(true);
    expect(step().name).toBe('consent');
  });
});
