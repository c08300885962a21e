import { View, type ViewProps } from 'react-native';
import type { Device } from './device.ts';
import NativeCameraView from './specs/SvcCameraViewNativeComponent.ts';

/** Properties of {@link SvcCameraView}: those of a view, without children. */
export interface SvcCameraViewProps extends Omit<ViewProps, 'children'> {
  /** Null: the view stays empty. */
  readonly device: Device | null;
}

/**
 * The camera picture of a device, with the prompts unless the host draws them (`prompts: 'host'`). It holds the engine's
 * page: keep it mounted and visible while people are verified. The view that was mounted last has the picture.
 */
export function SvcCameraView({ device, ...view }: SvcCameraViewProps) {
  return device === null ? <View {...view} /> : <NativeCameraView {...view} />;
}
