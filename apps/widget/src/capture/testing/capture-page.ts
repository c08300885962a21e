/** A page that contains only the photo capture, for tests in browsers. */
import { guardScripts } from '@svc/page-kit';
import { CameraError, type Guidance, type Photo, PhotoError, type SelfieCamera } from '../../ports.ts';
import { createCapture } from '../index.ts';

guardScripts(new URL('.', document.baseURI));

const video = document.createElement('video');
document.body.append(video);
let camera: SelfieCamera | null = null;
let seen: Guidance[] = [];
let steady = 0;
let problems: string[] = [];

/** A photo in a form that a test can read from the page. */
export interface PhotoOutside {
  readonly base64: string;
  readonly type: string;
  readonly width: number;
  readonly height: number;
}

async function outside({ jpeg, width, height }: Photo): Promise<PhotoOutside> {
  const bytes = new Uint8Array(await jpeg.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return { base64: btoa(text), type: jpeg.type, width, height };
}

const current = (): SelfieCamera => {
  if (camera === null) throw new Error('no camera was opened');
  return camera;
};

/** The action's result, or the problem it failed with. */
async function problemOr<T>(action: () => Promise<T>): Promise<T | string> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof CameraError || error instanceof PhotoError) return `${error.name}: ${error.problem}`;
    throw error;
  }
}

const page = {
  open: () =>
    problemOr(async () => {
      camera = createCapture().createCamera();
      seen = [];
      steady = 0;
      problems = [];
      camera.onGuidance((guidance) => seen.push(guidance));
      camera.onSteady(() => {
        steady += 1;
      });
      camera.onProblem((problem) => problems.push(problem));
      await camera.open(video);
      return { canSwitch: camera.canSwitch, mirrored: camera.mirrored };
    }),
  /** Events since the last call. */
  look: () => {
    const looks = seen;
    seen = [];
    return {
      state: current().guidance,
      hints: looks.map(({ hint }) => hint),
      last: looks.at(-1) ?? null,
      steady,
      problems,
    };
  },
  switch: () =>
    problemOr(async () => {
      await current().switch();
      return current().mirrored;
    }),
  take: () => problemOr(async () => outside(await current().take())),
  /** Takes the photo at the next steady moment, as the widget does: by a later call the face may have moved. */
  takeWhenSteady: () =>
    problemOr(async () => {
      await new Promise<void>((resolve) => {
        const stop = current().onSteady(() => {
          stop();
          resolve();
        });
      });
      return outside(await current().take());
    }),
  close: () => current().close(),
  prepare: (base64: string, type: string) =>
    problemOr(async () => {
      const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      return outside(await createCapture().preparePhoto(new Blob([bytes], { type })));
    }),
  /** The engine's result for a photo that was taken or prepared. */
  review: async ({ base64, type, width, height }: PhotoOutside) => {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    return createCapture().review({ jpeg: new Blob([bytes], { type }), width, height });
  },
  /** Whether a camera is on. */
  isLit: () =>
    (video.srcObject as MediaStream | null)?.getTracks().some(({ readyState }) => readyState === 'live') ?? false,
};

export type CapturePage = typeof page;

Object.assign(globalThis, { svcCapture: page });
