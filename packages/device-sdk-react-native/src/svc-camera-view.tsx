import type { ViewProps } from 'react-native';
import { type Device, numberOfDevice } from './device.ts';
import NativeCameraView from './specs/SvcCameraViewNativeComponent.ts';

/** Properties of {@link SvcCameraView}: those of a view, without children. */
export interface SvcCameraViewProps extends Omit<ViewProps, 'children'> {
  /** Null: the view stays empty. */
  readonly device: Device | null;
}

/**
 * The camera picture of a device, with the prompts unless the host draws them (`prompts: 'host'`). It holds the engine's
 * page: keep it mounted and visible while people are verified. One view a device.
 */
export function SvcCameraView({ device, ...view }: SvcCameraViewProps) {
  return <NativeCameraView {...view} device={device === null ? 0 : numberOfDevice(device)} />;
}
