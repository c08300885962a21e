import { FaceError } from '@svc/core';
import type { DeviceStatus, Prompt, VerificationResult } from '@svc/device-sdk';
import {
  createVideoCamera,
  createWebDevice,
  DEFAULT_DATABASE_NAME,
  forgetWebDevice,
  missingWebParts,
  screenCandela,
  type WebDevice,
  type WebDevicePart,
} from '@svc/device-sdk-web';
import type { Pairing } from '../pairing/pairing.ts';
import { detailsOf, OpenError, type OpenFailure, openFailures } from './port.ts';
import { type ScreenLight, withScreenLight } from './screen-light.ts';

export interface WebDevicesOptions {
  /** Folder of the engine's worker, runtime and models. */
  readonly assetsUrl: URL;
  /** Read at each attempt; null: the front camera. */
  readonly faceCamera: () => string | null;
  readonly light: ScreenLight;
  /** Resolves when an engine may be loaded. */
  readonly whenKept: () => Promise<void>;
}

function failureOf(error: unknown): OpenFailure {
  if (!FaceError.is(error)) return 'engine-failed';
  return openFailures.find((failure) => failure === error.code) ?? 'engine-failed';
}

/** The part of the device SDK that the kiosk needs. */
export type Device = ReturnType<typeof asDevice>;

interface Attempt {
  readonly scannedId: string;
  /** The person can't turn the head: use the list's alternative. */
  readonly withoutTurn: boolean;
  readonly video: HTMLVideoElement;
  readonly onPrompt: (prompt: Prompt) => void;
  /** Ends the attempt; its result then says nothing about the person. */
  readonly signal: AbortSignal;
}

function asDevice(device: WebDevice, baseUrl: string, { faceCamera, light }: WebDevicesOptions) {
  const status = () => withScreenLight(device.status(), light);
  let endLight = (): void => undefined;
  return {
    status,
    /** Called when the status has changed, until the device is closed. */
    onStatus(listener: (status: DeviceStatus) => void): void {
      const tell = () => listener(status());
      device.onStatus(tell);
      endLight = light.onChange(tell);
    },
    /** Starts periodic syncs. */
    start: () => device.start(),
    sync: (): Promise<unknown> => device.syncAsync(),
    /** Asks the service for nothing but an answer. False if there is none before `signal` aborts. */
    reach: (signal: AbortSignal) => reachService(baseUrl, signal),
    /** Staff confirm that the person is present; valid while the prompt asks for it. */
    confirmByStaff: () => device.confirmByStaff(),
    /** Staff take back that the person was let in. */
    takeBack: (scannedId: string): Promise<unknown> => device.takeBackAdmission(scannedId),
    /** One attempt: starts the camera, shows it in `video`, and prompts the person. */
    verify({ scannedId, withoutTurn, video, onPrompt, signal }: Attempt): Promise<VerificationResult> {
      const cameraId = faceCamera();
      const instead = withoutTurn && device.status().headTurnAlternative === 'light';
      const showLight = instead ? light.instead() : light.current(device.status());
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
    close(): Promise<void> {
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

async function orOpenError<T>(action: (enter: (part: WebDevicePart) => void) => Promise<T>): Promise<T> {
  let part: WebDevicePart = 'storage';
  try {
    return await action((entered) => {
      part = entered;
    });
  } catch (cause) {
    throw new OpenError(failureOf(cause), `${part}: ${detailsOf(cause)}`, { cause });
  }
}

/** {@link createWebDevices} */
export type Devices = ReturnType<typeof createWebDevices>;

/** Devices of the web SDK. */
export function createWebDevices(o: WebDevicesOptions) {
  return {
    /** Refuses a browser that lacks what every device needs, before anything is asked of it. @throws OpenError */
    require(): void {
      const missing = isSecureContext ? missingWebParts() : ['https'];
      if (missing.length > 0) throw new OpenError('webview-too-old', missing.join(', '));
    },
    /** @param onPart told what comes next @throws OpenError */
    open: ({ deviceToken, region, staffInView }: Pairing, onPart: (part: WebDevicePart) => void): Promise<Device> =>
      orOpenError(async (enter) => {
        await o.whenKept();
        const device = await createWebDevice({
          deviceToken,
          region,
          assetsUrl: o.assetsUrl,
          // A page without a light is not asked for one.
          lightChallenge: 'when-possible',
          onPart(part) {
            enter(part);
            onPart(part);
          },
          ...(staffInView ? { passiveLiveness: 'absent-staff-in-view' } : {}),
        });
        return asDevice(device, region.baseUrl, o);
      }),
    /**
     * Deletes the device's data in this browser, keys first. The device must be closed.
     * @param o.keepDeviceKey the device's own key pair stays, so that its token can be used in this browser again
     * @throws OpenError
     */
    forget: ({ keepDeviceKey }: { readonly keepDeviceKey: boolean }) =>
      orOpenError(() => forgetWebDevice(DEFAULT_DATABASE_NAME, { keepDeviceKey })),
  };
}
