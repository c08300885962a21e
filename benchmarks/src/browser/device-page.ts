/** What the bench calls in the page: devices as a product would make them, and attempts before their cameras. */
import type { CheckInDevice } from '@svc/device-sdk';
import { createWebDevice, type WebDeviceOptions } from '@svc/device-sdk-web';
import { personIdOf, type Visit } from '../attempt/door.ts';
import { chooseDirections } from '../attempt/draw-direction.ts';
import { type AttemptTimes, timeAttempt } from '../attempt/time-attempt.ts';
import type { Moment } from '../attempt/visitor.ts';
import { framePath } from './frame-path.ts';

const devices = new Map<boolean, CheckInDevice>();
const choose = chooseDirections();

const page = {
  /** @returns whether the device has the list */
  async open(passive: boolean, options: WebDeviceOptions): Promise<boolean> {
    const device = await createWebDevice(options);
    devices.set(passive, device);
    return (await device.syncAsync()).ok;
  },

  async attempt(visit: Visit, width: number, height: number): Promise<AttemptTimes> {
    const device = devices.get(visit.passive);
    if (device === undefined) throw new Error('no such device');
    choose(visit.direction);
    return timeAttempt({
      device,
      personId: personIdOf(visit.person),
      async picture(moment: Moment) {
        const answer = await fetch(framePath(visit.person, moment));
        return { data: new Uint8Array(await answer.arrayBuffer()), width, height, channels: 4 };
      },
      clocks: { wallMs: () => performance.now(), processorMs: () => globalThis.rendererMs() },
    });
  },
};

declare global {
  // Globals are declared with `var` alone.
  var devicePage: typeof page;
  /** The bench's, outside the browser. */
  var rendererMs: () => Promise<number | null>;
}

globalThis.devicePage = page;
