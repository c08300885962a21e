import type { HostComponent, ViewProps } from 'react-native';
import { codegenNativeComponent } from 'react-native';

/** Shows the one device that is open. */
export interface NativeProps extends ViewProps {}

export default codegenNativeComponent<NativeProps>('SvcCameraView') as HostComponent<NativeProps>;
