import type { WebCamera } from '@svc/capture-web';

export type Facing = 'user' | 'environment';

/** Which camera: the way it looks, or itself. */
export type CameraChoice = { readonly facing: Facing } | { readonly deviceId: string };

/** Enough for a photo of 1280 px, and what most cameras have. */
const SIZE = { width: { ideal: 1280 }, height: { ideal: 960 } };

/** @param isStrict rather none than another: for a camera that was asked for by name, or by its other side */
export function constraintsOf(choice: CameraChoice, isStrict: boolean): MediaTrackConstraints {
  if ('deviceId' in choice) return { ...SIZE, deviceId: { exact: choice.deviceId } };
  return { ...SIZE, facingMode: isStrict ? { exact: choice.facing } : choice.facing };
}

/**
 * The cameras to try when somebody wants another one, best first. A phone has several at its back, of which its own
 * choice is the right one, so that a camera that tells where it looks is followed by the other side's; others come in
 * turn.
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
