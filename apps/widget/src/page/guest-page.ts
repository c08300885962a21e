import { attemptSoon, byType, type EffectHandlers, Machine } from '@svc/page-kit';
import type { Capture, SelfieCamera } from '../capture/index.ts';
import { CameraError, type Photo, PhotoError } from '../ports.ts';
import type { CallService } from './api/widget-api.ts';
import {
  type Call,
  type Effect,
  type FlowEvent,
  type FlowMachine,
  type HeldPhoto,
  initialState,
  type Notice,
  type State,
} from './flow/state.ts';
import { transition } from './flow/transition.ts';
import type { PictureView } from './picture-view.ts';

export interface GuestPageParts {
  readonly callService: CallService;
  /** Fetches the photo code. @throws if it cannot be fetched */
  readonly loadCapture: () => Promise<Capture>;
  /** The browser is to save data: the engine is fetched when the camera is open, or a photo is reviewed. */
  readonly savesData: boolean;
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

/** The guest decides alone where the engine takes longer. */
const REVIEW_MS = 10_000;

/** No camera follows, or only after the consent was asked for anew. */
const isOver = ({ step: { name } }: State): boolean => name === 'done' || name === 'declined' || name === 'ended';

const isCameraAwaited = ({ step }: State): boolean => step.name === 'camera' && step.camera.mode === 'opening';

const opened = ({ canSwitch, mirrored }: SelfieCamera): FlowEvent => ({ type: 'camera-opened', canSwitch, mirrored });

const cameraFailed = (error: unknown): FlowEvent => ({
  type: 'camera-failed',
  problem: error instanceof CameraError ? error.problem : 'failed',
});

/**
 * What stands behind the steps: carries out the effects of the state machine. One request, one camera and one file at a
 * time; what comes of an earlier one is ignored.
 */
export class GuestPage {
  readonly machine: FlowMachine;
  readonly #parts: GuestPageParts;
  #callOff: () => void = () => undefined;
  #camera: SelfieCamera | null = null;
  #filesChosen = 0;
  /** The one whose engine is heard. */
  #capture: Capture | null = null;

  readonly #dispatch = (event: FlowEvent): void => this.machine.dispatch(event);
  readonly #effects: EffectHandlers<Effect> = {
    call: ({ call, afterMs }) => this.#call(call, afterMs),
    'call-off': () => this.#callOff(),
    'open-camera': () => void this.#openCamera(),
    'close-camera': () => this.#closeCamera(),
    'switch-camera': () => void this.#withCamera((camera) => camera.switch().then(() => opened(camera))),
    'take-photo': () => void this.#withCamera((camera) => this.#takePhoto(camera)),
    'warm-up': ({ asked }) => {
      // What cannot run here does not begin anew with each tick.
      const isWanted = !this.#parts.savesData && this.machine.state.engine.name !== 'absent';
      if (asked || isWanted) void this.#warmUp();
    },
    'review-photo': ({ photo }) => void this.#reviewPhoto(photo),
    'prepare-file': ({ file }) => void this.#prepareFile(file),
    tell: ({ notice }) => this.#parts.tell(notice),
  };

  constructor(parts: GuestPageParts) {
    this.#parts = parts;
    this.machine = new Machine({ initial: initialState, transition, carryOut: byType(this.#effects) });
    this.machine.subscribe((state) => {
      if (isOver(state)) this.#capture?.coolDown();
    });
  }

  /** Fetches the photo code and the engine before the camera step. A failure is left to that step. */
  async #warmUp(): Promise<void> {
    const capture = await this.#loadCapture();
    if (!isOver(this.machine.state)) capture?.warmUp();
  }

  #call(call: Call, afterMs: number): void {
    this.#callOff();
    const ended = new AbortController();
    const unplan = this.#parts.later(afterMs, () => {
      this.#parts.callService(call, ended.signal).then(
        (event) => {
          if (!ended.signal.aborted) this.#dispatch(event);
        },
        () => undefined,
      );
    });
    this.#callOff = () => {
      unplan();
      ended.abort();
    };
  }

  /** Null if it cannot be fetched. */
  async #loadCapture(): Promise<Capture | null> {
    const capture = await this.#parts.loadCapture().catch(() => null);
    if (capture === null || this.#capture !== null) return capture;
    this.#capture = capture;
    capture.onEngine((engine) => this.#dispatch({ type: 'engine-changed', engine }));
    return capture;
  }

  #taken(photo: Photo, from: Pick<HeldPhoto, 'source' | 'mirrored'>): FlowEvent {
    return { type: 'photo-taken', photo: { ...photo, ...from, key: this.#parts.newKey() } };
  }

  #closeCamera(): void {
    this.#camera?.close();
    this.#camera = null;
  }

  async #withCamera(act: (camera: SelfieCamera) => Promise<FlowEvent>): Promise<void> {
    const camera = this.#camera;
    if (camera === null) return;
    const event = await act(camera).catch(cameraFailed);
    if (this.#camera === camera) this.#dispatch(event);
  }

  async #openCamera(): Promise<void> {
    this.#closeCamera();
    const capture = await this.#loadCapture();
    if (!isCameraAwaited(this.machine.state) || this.#camera !== null) return;
    if (capture === null) return this.#dispatch({ type: 'camera-failed', problem: 'offline' });
    const dispatch = (event: FlowEvent) => {
      if (this.#camera === camera) this.#dispatch(event);
    };
    const camera: SelfieCamera = capture.createCamera({
      onGuidance: (guidance) => dispatch({ type: 'guided', guidance }),
      onSteady: () => (this.#parts.picture.isShown() ? dispatch({ type: 'steady' }) : camera.waitAgain()),
      onProblem: (problem) => dispatch({ type: 'camera-failed', problem }),
    });
    this.#camera = camera;
    await this.#withCamera(() => camera.open(this.#parts.video).then(() => opened(camera)));
    if (this.#camera === camera) await this.#parts.picture.bring();
  }

  async #takePhoto(camera: SelfieCamera): Promise<FlowEvent> {
    await this.#parts.picture.bring();
    const [photo] = await Promise.all([camera.take(), this.#parts.showShutter()]);
    return this.#taken(photo, { source: 'camera', mirrored: camera.mirrored });
  }

  async #reviewPhoto(photo: HeldPhoto): Promise<void> {
    const capture = await this.#loadCapture();
    const review = capture === null ? null : await attemptSoon(() => capture.review(photo), null, REVIEW_MS);
    this.#dispatch({ type: 'reviewed', key: photo.key, review });
  }

  async #prepareFile(file: Blob): Promise<void> {
    this.#filesChosen += 1;
    const own = this.#filesChosen;
    const event = await this.#prepared(file);
    if (own === this.#filesChosen) this.#dispatch(event);
  }

  async #prepared(file: Blob): Promise<FlowEvent> {
    const capture = await this.#loadCapture();
    if (capture === null) return { type: 'file-refused', problem: 'offline' };
    try {
      return this.#taken(await capture.preparePhoto(file), { source: 'file', mirrored: false });
    } catch (error) {
      return { type: 'file-refused', problem: error instanceof PhotoError ? error.problem : 'image-invalid' };
    }
  }
}
