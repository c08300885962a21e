import { FaceError } from '@svc/core';
import {
  createVideoCamera,
  createWebDevice,
  DEFAULT_DATABASE_NAME,
  forgetWebDevice,
  screenCandela,
  type WebDevice,
} from '@svc/device-sdk-web';
import { type Device, type Devices, OpenError, type OpenFailure, openFailures } from './port.ts';
import { type ScreenLight, withScreenLight } from './screen-light.ts';

export interface WebDevicesOptions {
  /** Folder of the engine's worker, runtime and models. */
  readonly assetsUrl: URL;
  /** Read at each attempt; null: the front camera. */
  readonly faceCamera: () => string | null;
  readonly light: ScreenLight;
}

function failureOf(error: unknown): OpenFailure {
  if (!FaceError.is(error)) return 'engine-failed';
  return openFailures.find((failure) => failure === error.code) ?? 'engine-failed';
}

function asDevice(device: WebDevice, baseUrl: string, { faceCamera, light }: WebDevicesOptions): Device {
  const status = () => withScreenLight(device.status(), light);
  let endLight = (): void => undefined;
  return {
    status,
    onStatus(listener) {
      const tell = () => listener(status());
      device.onStatus(tell);
      endLight = light.onChange(tell);
    },
    start: () => device.start(),
    sync: () => device.syncAsync(),
    reach: (signal) => reachService(baseUrl, signal),
    confirmByStaff: () => device.confirmByStaff(),
    takeBack: (scannedId) => device.takeBackAdmission(scannedId),
    verify({ scannedId, withoutTurn, video, onPrompt, signal }) {
      const cameraId = faceCamera();
      const instead = withoutTurn && device.status().headTurnAlternative === 'light';
      const showLight = instead ? light.instead() : light.current();
      const camera = createVideoCamera(video, {
        onPrompt,
        ...(showLight ? { showLight, screenCandela: screenCandela(screen) } : {}),
        ...(cameraId === null
          ? {}
          : { constraints: { deviceId: { exact: cameraId }, width: { ideal: 640 }, height: { ideal: 480 } } }),
      });
      const headTurn = withoutTurn ? 'alternative' : 'asked';
      return device.verifyLiveAsync(scannedId, camera, { headTurn, signal });
    },
    close() {
      endLight();
      return device.dispose();
    },
  };
}

/** Sends no token, cookie or address of the page: the service sees that something at this IP address is online. */
async function reachService(baseUrl: string, signal: AbortSignal): Promise<boolean> {
  const url = new URL('healthz', baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
  // The answer of another origin cannot be read, but shows that there is one.
  const access: RequestInit = url.origin === location.origin ? { redirect: 'error' } : { mode: 'no-cors' };
  try {
    const { ok, type } = await fetch(url, {
      method: 'HEAD',
      cache: 'no-store',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal,
      ...access,
    });
    return ok || type === 'opaque';
  } catch {
    return false;
  }
}

async function orOpenError<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    throw new OpenError(failureOf(cause), { cause });
  }
}

/** Devices of the web SDK. */
export function createWebDevices(o: WebDevicesOptions): Devices {
  return {
    open: ({ deviceToken, region, staffInView }) =>
      orOpenError(async () => {
        const device = await createWebDevice({
          deviceToken,
          region,
          assetsUrl: o.assetsUrl,
          // A page without a light is not asked for one.
          lightChallenge: 'when-possible',
          ...(staffInView ? { passiveLiveness: 'absent-staff-in-view' } : {}),
        });
        return asDevice(device, region.baseUrl, o);
      }),
    forget: ({ keepDeviceKey }) => orOpenError(() => forgetWebDevice(DEFAULT_DATABASE_NAME, { keepDeviceKey })),
  };
}
