import { createHash } from 'node:crypto';
import { CheckInDevice, type DevicePorts, type DeviceSettings, type Region, type Transport } from '@svc/device-sdk';
import { createFetchTransport, webClock, webRandom, webTimers } from '@svc/device-sdk/adapters';
import type { FaceEngine, PassiveLiveness, PassiveModelName } from '@svc/face-engine';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { createFilePackStore, inStorage, lockDirectory } from './files/file-stores.ts';
import { type KeyPlace, openKeyStore } from './open-key-store.ts';

/** A face engine and its passive check; `passiveLiveness` is null for an engine without one. */
export interface SharedEngine {
  readonly engine: FaceEngine;
  readonly passiveLiveness: PassiveLiveness | null;
}

/** Options of {@link createNodeCheckInDevice}. */
export interface NodeDeviceOptions extends DeviceSettings {
  /** `svcd_…`. Never written to disk: keep it with the program's other secrets. */
  readonly deviceToken: string;
  readonly region: Region;
  /**
   * Directory of this device alone, for keys, packs and state; created if missing, readable by the current OS user
   * only.
   */
  readonly directory: string;
  /**
   * Where the keys are stored: in files beside the packs (`files`, the default) or in the system's keyring; see {@link
   * KeyPlace}.
   */
  readonly keys?: KeyPlace;
  /** The operator declares that staff watch every attempt: no passive check runs, and every result reports this. */
  readonly passiveLiveness?: 'absent-staff-in-view';
  /** Model of the passive check. Default: the default model. Not used with `engine`. */
  readonly passiveModel?: PassiveModelName;
  /**
   * Name of the engine whose networks stay loaded until the device has a list. Default: the preferred installed engine.
   * Records of any installed engine can be verified. Not used with `engine`.
   */
  readonly engineId?: string;
  /**
   * Folder of the add-on models; null for none. Default: where `svc models add` installs them. Not used with `engine`.
   */
  readonly addOnDirectory?: string | null;
  /**
   * An engine owned and disposed by the caller. The device keeps the networks that its list needs loaded; networks that
   * other users of the engine need are loaded on demand. Default: the device creates its own.
   */
  readonly engine?: SharedEngine;
  /** For tests and proxies. Default: Node's fetch. */
  readonly transport?: Transport;
}

/**
 * Creates a check-in device for Node. Keys and packs are stored in files; models come from the packages that this one
 * depends on. The caller disposes the device, which also releases the directory lock.
 * @throws FaceError `configuration-invalid`, `passive-liveness-missing`, `storage-failed` (also while another process
 *   uses the directory, or when `keys` is `keyring` and there is no keyring), `model-missing`, `model-mismatch`,
 *   `golden-mismatch`, `runtime-failed`
 */
export async function createNodeCheckInDevice(options: NodeDeviceOptions): Promise<CheckInDevice> {
  const { deviceToken, region, directory } = options;
  const cleanUp: (() => Promise<void> | void)[] = [];
  const release = async () => {
    for (const action of cleanUp.splice(0).reverse()) await action();
  };
  try {
    cleanUp.push(await lockDirectory(directory));
    const config = {
      deviceToken,
      region,
      lightChallenge: options.lightChallenge,
      maxSyncBytes: options.maxSyncBytes,
      syncTimeoutMs: options.syncTimeoutMs,
      ports: await inStorage(() => portsOf(options)),
      onDisposed: release,
    };
    return await CheckInDevice.createWith(config, async () => {
      const { engine, passiveLiveness, dispose } = await engineOf(options);
      cleanUp.push(dispose);
      return { engine, passiveLiveness: options.passiveLiveness ?? passiveLiveness };
    });
  } catch (error) {
    await release().catch(() => undefined);
    throw error;
  }
}

async function portsOf({
  directory,
  keys = 'files',
  transport = createFetchTransport(),
}: NodeDeviceOptions): Promise<DevicePorts> {
  return {
    keyStore: await openKeyStore(directory, keys),
    packStore: await createFilePackStore(directory),
    clock: webClock,
    timers: webTimers,
    random: webRandom,
    transport,
    sha256: () => createHash('sha256'),
  };
}

async function engineOf({
  engine,
  engineId,
  addOnDirectory,
  passiveLiveness,
  passiveModel,
}: NodeDeviceOptions): Promise<SharedEngine & { dispose: () => void }> {
  if (engine !== undefined) return { ...engine, dispose: () => undefined };
  const made = await createNodeFaceEngine({
    ...(engineId === undefined ? {} : { engineId }),
    ...(addOnDirectory === undefined ? {} : { addOnDirectory }),
    ...(passiveModel === undefined ? {} : { passiveModel }),
    ...(passiveLiveness === undefined ? {} : { passiveModel: null }),
  });
  return {
    engine: made.engine,
    passiveLiveness: made.passiveLiveness,
    dispose: () => {
      made.passiveLiveness?.dispose();
      made.engine.dispose();
      made.runtime.dispose();
    },
  };
}
