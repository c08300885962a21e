import type { HostComponent, ViewProps } from 'react-native';
import { codegenNativeComponent } from 'react-native';

/** Properties of `SvcCameraView`: those of a view, without children. */
export interface SvcCameraViewProps extends ViewProps {}

/**
 * The camera picture of the app's device, with the prompts unless the host draws them (`prompts: 'host'`). It holds the
 * engine's page: mount it before `createDevice`, because iOS pauses pages that no window shows, and keep it mounted as
 * long as the device is used. The view that was mounted last has the picture.
 */
export default codegenNativeComponent<SvcCameraViewProps>('SvcCameraView') as HostComponent<SvcCameraViewProps>;
