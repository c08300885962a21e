/** Called in the page by the benchmark: a device as a product would create it, and attempts before its camera. */
import type { CheckInDevice } from '@svc/device-sdk';
import { createWebDevice, type WebDeviceOptions } from '@svc/device-sdk-web';
import { type AttemptTimes, timeAttempt } from './time-attempt.ts';
import { chooseDirections, framePath, type Moment, personIdOf, type Visit } from './visitor.ts';

let device: CheckInDevice | null = null;
const choose = chooseDirections();

const pixelsAt = async (path: string): Promise<Uint8ClampedArray<ArrayBuffer>> =>
  new Uint8ClampedArray(await (await fetch(path)).arrayBuffer());

const page = {
  /** @returns whether the device has the list */
  async open(options: WebDeviceOptions): Promise<boolean> {
    device = await createWebDevice(options);
    return (await device.syncAsync()).ok;
  },

  async attempt(visit: Visit, width: number, height: number): Promise<AttemptTimes> {
    if (device === null) throw new Error('no device is open');
    choose(visit.direction);
    return timeAttempt({
      device,
      personId: personIdOf(visit.person),
      async picture(moment: Moment) {
        return { data: await pixelsAt(framePath(visit.person, moment)), width, height, channels: 4 };
      },
      clocks: { wallMs: () => performance.now(), processorMs: () => globalThis.rendererMs() },
    });
  },
};

declare global {
  // Globals can only be declared with `var`.
  var devicePage: typeof page;
  /** Functions of the benchmark outside the browser. */
  var rendererMs: () => Promise<number | null>;
}

globalThis.devicePage = page;
