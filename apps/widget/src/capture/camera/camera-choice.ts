import type { WebCamera } from '@svc/capture-web';

export type Facing = 'user' | 'environment';

/** A camera chosen by its facing mode or by its device id. */
export type CameraChoice = { readonly facing: Facing } | { readonly deviceId: string };

/** Enough for a photo of 1280 px, and supported by most cameras. */
const SIZE = { width: { ideal: 1280 }, height: { ideal: 960 } };

/** @param isStrict fail rather than open another camera; for a camera that the guest chose */
export function constraintsOf(choice: CameraChoice, isStrict: boolean): MediaTrackConstraints {
  if ('deviceId' in choice) return { ...SIZE, deviceId: { exact: choice.deviceId } };
  return { ...SIZE, facingMode: isStrict ? { exact: choice.facing } : choice.facing };
}

/**
 * The cameras to try when the guest switches, best first. A phone may have several back cameras and chooses the right
 * one of them itself, so if the running camera reports its facing mode, the opposite mode comes first. Other cameras
 * come in turn.
 */
export function nextChoices(
  shown: Pick<MediaTrackSettings, 'facingMode' | 'deviceId'>,
  cameras: readonly WebCamera[],
): readonly CameraChoice[] {
  const at = cameras.findIndex(({ deviceId }) => deviceId === shown.deviceId);
  const others = [...cameras.slice(at + 1), ...cameras.slice(0, Math.max(0, at))].map(({ deviceId }) => ({ deviceId }));
  if (shown.facingMode === 'user') return [{ facing: 'environment' }, ...others];
  if (shown.facingMode === 'environment') return [{ facing: 'user' }, ...others];
  return others;
}
