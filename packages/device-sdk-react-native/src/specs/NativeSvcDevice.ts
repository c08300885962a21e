import type { CodegenTypes, TurboModule } from 'react-native';
import { TurboModuleRegistry } from 'react-native';

/** One event of the shell: `name` and `body` are those of the contract's envelope, `body` as JSON text. */
export interface NativeDeviceEvent {
  readonly device: number;
  readonly name: string;
  readonly body: string;
}

/**
 * What the native side implements, read by React Native's codegen. `device` is a number that the caller chooses, new
 * for each device. Bodies are JSON texts of the contract. Promises reject with a contract failure code as `code`.
 */
export interface Spec extends TurboModule {
  /** @returns the status */
  create(device: number, configuration: string): Promise<string>;
  start(device: number): Promise<void>;
  stop(device: number): Promise<void>;
  /** @returns a sync result */
  sync(device: number): Promise<string>;
  /** @returns a verification result */
  verifyLive(device: number, scannedId: string, headTurn: string): Promise<string>;
  cancel(device: number): Promise<void>;
  confirmByStaff(device: number): Promise<void>;
  /** @returns `taken-back` or `not-admitted` */
  takeBackAdmission(device: number, scannedId: string): Promise<string>;
  /** Deletes keys, then packs. */
  forget(device: number): Promise<void>;
  dispose(device: number): Promise<void>;
  readonly onDeviceEvent: CodegenTypes.EventEmitter<NativeDeviceEvent>;
}

/** Null where the app was built without the native code. */
export default TurboModuleRegistry.get<Spec>('SvcDevice');
