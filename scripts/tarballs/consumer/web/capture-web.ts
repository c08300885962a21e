import { type CameraStream, fittedSize, openCameraStream, WorkerLink } from '@svc/capture-web';

export const openCamera = (signal: AbortSignal): Promise<CameraStream | null> => openCameraStream({}, signal);

export async function use(): Promise<void> {
  const { width, height } = fittedSize({ width: 4000, height: 3000 }, 1280);
  if (width !== 1280 || height !== 960 || typeof WorkerLink !== 'function') throw new Error('another size');
}
