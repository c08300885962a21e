/**
 * Called by the tests in the page: a device as a product would create it, and a visitor before its camera who does as
 * asked.
 */
import '@svc/device-sdk-web/older-browsers';
import { createVideoCamera, createWebDevice, forgetWebDevice, type WebDeviceOptions } from '@svc/device-sdk-web';

type Device = Awaited<ReturnType<typeof createWebDevice>>;

const FRAME_MS = 50;
/** By the wall clock, which the tests run faster than the page's own. */
const YAW_STEP_DEG = 2;

let device: Device | null = null;
let reachDeg = 0;
let targetDeg = 0;

/** @param yaws degrees, one picture of the person for each */
async function standBeforeCamera(yaws: readonly number[]): Promise<void> {
  reachDeg = Math.max(...yaws);
  const pictures = await Promise.all(
    yaws.map(async (yawDeg) => {
      const answer = await fetch(`/frames/yaw${yawDeg}.jpg`);
      return { yawDeg, bitmap: await createImageBitmap(await answer.blob()) };
    }),
  );
  const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 480 });
  const context = canvas.getContext('2d');
  let yawDeg = 0;
  setInterval(() => {
    yawDeg += Math.max(-YAW_STEP_DEG, Math.min(YAW_STEP_DEG, targetDeg - yawDeg));
    const distance = (picture: { readonly yawDeg: number }) => Math.abs(picture.yawDeg - yawDeg);
    const [nearest] = [...pictures].sort((a, b) => distance(a) - distance(b));
    if (nearest !== undefined) context?.drawImage(nearest.bitmap, 0, 0);
  }, FRAME_MS);
  navigator.mediaDevices.getUserMedia = async () => canvas.captureStream();
}

const page = {
  standBeforeCamera,
  async open(options: WebDeviceOptions) {
    device = await createWebDevice(options);
    return device.status();
  },
  sync: () => device?.syncAsync(),
  status: () => device?.status(),
  async visit(scannedId: string) {
    if (device === null) throw new Error('no device is open');
    const prompts: string[] = [];
    targetDeg = 0;
    const camera = createVideoCamera(document.querySelector('video') as HTMLVideoElement, {
      onPrompt({ key, direction }) {
        prompts.push(key);
        targetDeg = key !== 'turn-head' ? 0 : direction === 'left' ? reachDeg : -reachDeg;
      },
    });
    const result = await device.verifyLiveAsync(scannedId, camera);
    return { ...result, prompts };
  },
  dispose: () => device?.dispose(),
  forget: forgetWebDevice,
};

export type DoorPage = typeof page;
Object.assign(globalThis, { door: page });
