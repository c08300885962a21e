import { createHash } from 'node:crypto';
import { CheckInDevice, type DevicePorts, type DeviceSettings, type Region, type Transport } from '@svc/device-sdk';
import { createFetchTransport, webClock, webRandom, webTimers } from '@svc/device-sdk/adapters';
import type { FaceEngine, PassiveLiveness, PassiveModelName } from '@svc/face-engine';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { createFilePackStore } from './files/file-stores.ts';
import { inStorage, lockDirectory } from './files/in-storage.ts';
import { type KeyPlace, openKeyStore } from './keys/open-key-store.ts';
import { verifyEd25519 } from './keys/verify-ed25519.ts';

/** An engine that lives longer than the device, with its passive check where there is one. */
export interface SharedEngine {
  readonly engine: FaceEngine;
  readonly passiveLiveness: PassiveLiveness | null;
}

export interface NodeDeviceOptions extends DeviceSettings {
  /** `svcd_…`. It is not written to disk: keep it where the program's other secrets are. */
  readonly deviceToken: string;
  readonly region: Region;
  /** This device's own: keys, packs and state go in it, for the owner alone. Made when it is not there. */
  readonly directory: string;
  /** Where the keys are: beside the packs (`files`, the default) or in the system's keyring; see {@link KeyPlace}. */
  readonly keys?: KeyPlace;
  /** The operator's word that staff watch every attempt: no passive check runs, and every result says so. */
  readonly passiveLiveness?: 'absent-staff-in-view';
  /** The passive check that is made, by its model; the default one when left out. Not used with `engine`. */
  readonly passiveModel?: PassiveModelName;
  /**
   * The engine whose networks are held while there is no list, by its name; the preferred one of those installed when
   * left out. Records of every installed engine are verified all the same. Not used with `engine`.
   */
  readonly engineId?: string;
  /** Folder of the add-on models; null for none. Left out: where `svc models add` puts them. Not used with `engine`. */
  readonly addOnDirectory?: string | null;
  /**
   * Shared with other parts of the program, which dispose it. Its networks are held as this device's list needs them;
   * what another part needs besides is loaded when it asks. Left out: the device makes its own.
   */
  readonly engine?: SharedEngine;
  /** For tests and proxies. Left out: Node's fetch. */
  readonly transport?: Transport;
}

/**
 * A check-in device in Node: keys and packs in files, engine and models of this package's dependencies. Dispose it,
 * which also lets the directory go.
 * @throws FaceError `configuration-invalid`, `passive-liveness-missing`, `storage-failed` (also while another process
 * uses the directory, or where `keys` asks for a keyring and there is none), `model-missing`, `model-mismatch`,
 * `golden-mismatch`, `runtime-failed`
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
    verifyEd25519,
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
