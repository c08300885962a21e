/** Called by the tests in the page: a device as a product would create it. */
import '@svc/device-sdk-web/older-browsers';
import { createVideoCamera, createWebDevice, type WebDeviceOptions } from '@svc/device-sdk-web';

type Device = Awaited<ReturnType<typeof createWebDevice>>;

let device: Device | null = null;

const page = {
  async open(options: WebDeviceOptions) {
    device = await createWebDevice(options);
    return device.status();
  },
  sync: () => device?.syncAsync(),
  async visit(scannedId: string) {
    if (device === null) throw new Error('no device is open');
    const prompts: string[] = [];
    const shown = document.querySelector('.prompt') ?? document.body.appendChild(document.createElement('p'));
    const camera = createVideoCamera(document.querySelector('video') as HTMLVideoElement, {
      onPrompt({ key, direction = '' }) {
        prompts.push(key);
        // Where the test's camera looks for it.
        shown.className = 'prompt';
        shown.setAttribute('data-prompt', key);
        shown.setAttribute('data-direction', direction);
      },
    });
    const result = await device.verifyLiveAsync(scannedId, camera);
    return { ...result, prompts };
  },
};

export type DoorPage = typeof page;
Object.assign(globalThis, { door: page });
