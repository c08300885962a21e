import type { CodegenTypes, TurboModule } from 'react-native';
import { TurboModuleRegistry } from 'react-native';

/** An event of the device: `status` or `prompt`, with its body as JSON text. */
export interface NativeDeviceEvent {
  readonly name: string;
  readonly body: string;
}

/** The shell's channel for hosts in other languages, read by React Native's codegen. There is one device at a time. */
export interface Spec extends TurboModule {
  /**
   * `configure`, `sync`, `verify`, `cancel`, `confirmByStaff`, `takeBackAdmission`, `forget`, `dispose`.
   * @param body JSON text, as in the contract without what the shell adds
   * @returns the answer's body as JSON text; rejects with the failure's code as `code`
   */
  call(name: string, body: string): Promise<string>;
  readonly onDeviceEvent: CodegenTypes.EventEmitter<NativeDeviceEvent>;
}

/** Null where the app was built without the native code. */
export default TurboModuleRegistry.get<Spec>('SvcDevice');
