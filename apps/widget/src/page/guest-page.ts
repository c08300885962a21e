import { CameraError, type Capture, type Photo, PhotoError, type SelfieCamera } from '../ports.ts';
import type { WidgetApi } from './api/widget-api.ts';
import {
  type Call,
  type Effect,
  type FlowEvent,
  type HeldPhoto,
  initialState,
  type Notice,
  type State,
  type Step,
} from './flow/state.ts';
import { transition } from './flow/transition.ts';
import type { PictureView } from './picture-view.ts';

export interface GuestPageParts {
  readonly api: WidgetApi;
  /** Fetches the photo code. @throws if it cannot be fetched */
  readonly loadCapture: () => Promise<Capture>;
  /** Shows the guest the camera's picture. */
  readonly video: HTMLVideoElement;
  /** Whether the guest sees the picture: no photo is taken of what is out of view. */
  readonly picture: PictureView;
  /** Resolves when the guest has seen that the photo was taken. */
  readonly showShutter: () => Promise<void>;
  readonly tell: (notice: Notice) => void;
  /** Creates an idempotency key: unique and unpredictable. */
  readonly newKey: () => string;
  /** @returns a function that cancels it */
  readonly later: (afterMs: number, action: () => void) => () => void;
}

/** The page's logic: takes events, runs their effects, and notifies listeners. */
export interface GuestPage {
  state(): State;
  subscribe(listener: (state: State) => void): () => void;
  dispatch(event: FlowEvent): void;
  newKey(): string;
  /**
   * Fetches the photo code and the engine before the camera step, and keeps the engine until a camera opens or the flow
   * is over. A failure is left to that step.
   */
  warmUp(): void;
}

/** No camera follows, or only after the consent was asked for anew. */
const isOver = ({ name }: Step): boolean => name === 'done' || name === 'declined' || name === 'ended';

export function createGuestPage(parts: GuestPageParts): GuestPage {
  let state = initialState;
  let callOff: () => void = () => undefined;
  let camera: SelfieCamera | null = null;
  let filesChosen = 0;
  let isEngineHeard = false;
  /** Has the engine that was warmed up. */
  let warmed: Capture | null = null;
  const listeners = new Set<(state: State) => void>();

  function dispatch(event: FlowEvent): void {
    const next = transition(state, event);
    state = next.state;
    for (const listener of listeners) listener(state);
    for (const effect of next.effects) carryOut(effect);
    if (isOver(state.step)) warmed?.coolDown();
  }

  function carryOut(effect: Effect): void {
    switch (effect.type) {
      case 'call':
        startCall(effect.call, effect.afterMs);
        break;
      case 'call-off':
        callOff();
        break;
      case 'open-camera':
        void openCamera();
        break;
      case 'close-camera':
        closeCamera();
        break;
      case 'switch-camera':
        void withCamera((open) => open.switch().then(() => opened(open)));
        break;
      case 'take-photo':
        void withCamera(async (open) => {
          await parts.picture.bring();
          const [photo] = await Promise.all([open.take(), parts.showShutter()]);
          return taken(photo, { source: 'camera', mirrored: open.mirrored });
        });
        break;
      case 'review-photo':
        void reviewPhoto(effect.photo);
        break;
      case 'prepare-file':
        void prepareFile(effect.file);
        break;
      case 'tell':
        parts.tell(effect.notice);
        break;
    }
  }

  /** One request at a time: the answer to an earlier one is ignored. */
  function startCall(call: Call, afterMs: number): void {
    callOff();
    const ended = new AbortController();
    const unplan = parts.later(afterMs, () => {
      parts.api.call(call, ended.signal).then(
        (event) => {
          if (!ended.signal.aborted) dispatch(event);
        },
        () => undefined,
      );
    });
    callOff = () => {
      unplan();
      ended.abort();
    };
  }

  async function loadCapture(): Promise<Capture> {
    const capture = await parts.loadCapture();
    if (!isEngineHeard) capture.onEngine((engine) => dispatch({ type: 'engine-changed', engine }));
    isEngineHeard = true;
    return capture;
  }

  const opened = ({ canSwitch, mirrored }: SelfieCamera): FlowEvent => ({
    type: 'camera-opened',
    canSwitch,
    mirrored,
  });
  const taken = (photo: Photo, from: Pick<HeldPhoto, 'source' | 'mirrored'>): FlowEvent => ({
    type: 'photo-taken',
    photo: { ...photo, ...from, key: parts.newKey() },
  });
  const cameraFailed = (error: unknown): FlowEvent => ({
    type: 'camera-failed',
    problem: error instanceof CameraError ? error.problem : 'failed',
  });

  function closeCamera(): void {
    camera?.close();
    camera = null;
  }

  /** Runs an action on the current camera; its result is ignored once another camera has replaced it. */
  async function withCamera(act: (open: SelfieCamera) => Promise<FlowEvent>): Promise<void> {
    const open = camera;
    if (open === null) return;
    const event = await act(open).catch(cameraFailed);
    if (camera === open) dispatch(event);
  }

  async function openCamera(): Promise<void> {
    closeCamera();
    const capture = await loadCapture().catch(() => null);
    const view = state.step.name === 'camera' ? state.step.camera.mode : null;
    if (view !== 'opening' || camera !== null) return;
    if (capture === null) {
      dispatch({ type: 'camera-failed', problem: 'offline' });
      return;
    }
    const opening = capture.createCamera();
    camera = opening;
    const ifCurrent = (event: FlowEvent) => {
      if (camera === opening) dispatch(event);
    };
    opening.onGuidance((guidance) => ifCurrent({ type: 'guided', guidance }));
    opening.onSteady(() => {
      if (parts.picture.isShown()) ifCurrent({ type: 'steady' });
      else opening.waitAgain();
    });
    opening.onProblem((problem) => ifCurrent({ type: 'camera-failed', problem }));
    await withCamera((open) => open.open(parts.video).then(() => opened(open)));
    if (camera === opening) await parts.picture.bring();
  }

  async function reviewPhoto(photo: HeldPhoto): Promise<void> {
    const review = await loadCapture().then(
      (capture) => capture.review(photo),
      () => null,
    );
    dispatch({ type: 'reviewed', key: photo.key, review });
  }

  /** The result is ignored once another file was chosen. */
  async function prepareFile(file: Blob): Promise<void> {
    filesChosen += 1;
    const own = filesChosen;
    const event = await prepared(file);
    if (own === filesChosen) dispatch(event);
  }

  async function prepared(file: Blob): Promise<FlowEvent> {
    const capture = await loadCapture().catch(() => null);
    if (capture === null) return { type: 'file-refused', problem: 'offline' };
    try {
      return taken(await capture.preparePhoto(file), { source: 'file', mirrored: false });
    } catch (error) {
      return { type: 'file-refused', problem: error instanceof PhotoError ? error.problem : 'failed' };
    }
  }

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dispatch,
    newKey: parts.newKey,
    warmUp() {
      if (isOver(state.step)) return;
      loadCapture().then(
        (capture) => {
          if (isOver(state.step)) return;
          warmed = capture;
          capture.warmUp();
        },
        () => undefined,
      );
    },
  };
}
