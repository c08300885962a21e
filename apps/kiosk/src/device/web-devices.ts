import { FaceError } from '@svc/core';
import type { Camera } from '@svc/device-sdk';
import { createVideoCamera, createWebDevice, forgetWebDevice, type WebDevice } from '@svc/device-sdk-web';
import { type Device, type Devices, OpenError, type OpenFailure, openFailures } from './port.ts';
import { onScreenLight, screenLightOf, withScreenLight } from './screen-light.ts';

function failureOf(error: unknown): OpenFailure {
  if (!FaceError.is(error)) return 'engine-failed';
  return openFailures.find((failure) => failure === error.code) ?? 'engine-failed';
}

/** The camera until `cancel` aborts; the attempt then ends as one whose camera went away. */
function until(camera: Camera, cancel: AbortSignal): Camera {
  return {
    prompt: (prompt) => camera.prompt(prompt),
    ...(camera.light ? { light: camera.light } : {}),
    frames: (signal) => camera.frames(AbortSignal.any([signal, cancel])),
  };
}

function asDevice(device: WebDevice, faceCamera: () => string | null): Device {
  const status = () => withScreenLight(device.status(), window);
  return {
    status,
    onStatus(listener) {
      const tell = () => listener(status());
      const ends = [device.onStatus(tell), onScreenLight(window, tell)];
      return () => {
        for (const end of ends) end();
      };
    },
    start: () => device.start(),
    sync: () => device.syncAsync(),
    verify({ scannedId, video, onPrompt, signal }) {
      const cameraId = faceCamera();
      const showLight = screenLightOf(document, window);
      const camera = createVideoCamera(video, {
        onPrompt,
        ...(showLight ? { showLight } : {}),
        ...(cameraId === null
          ? {}
          : { constraints: { deviceId: { exact: cameraId }, width: { ideal: 640 }, height: { ideal: 480 } } }),
      });
      return device.verifyLiveAsync(scannedId, until(camera, signal));
    },
    close: () => device.dispose(),
  };
}

/**
 * Devices of the web SDK.
 * @param o.assetsUrl folder of the engine's worker, runtime and models
 * @param o.faceCamera asked at each attempt; null: the one that faces the person
 */
export function createWebDevices(o: { readonly assetsUrl: URL; readonly faceCamera: () => string | null }): Devices {
  return {
    async open({ deviceToken, region, staffInView }) {
      try {
        const device = await createWebDevice({
          deviceToken,
          region,
          assetsUrl: o.assetsUrl,
          ...(staffInView ? { passiveLiveness: 'absent-staff-in-view' } : {}),
        });
        return asDevice(device, o.faceCamera);
      } catch (cause) {
        throw new OpenError(failureOf(cause), { cause });
      }
    },
    forget: () => forgetWebDevice(),
  };
}
