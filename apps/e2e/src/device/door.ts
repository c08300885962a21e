import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withMiniFasNet } from '@svc/benchmarks/inputs/engine';
import { sharedData } from '@svc/benchmarks/inputs/shared-data';
import type { CheckInDevice, Region } from '@svc/device-sdk';
import { createNodeCheckInDevice, type SharedEngine } from '@svc/device-sdk-node';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { installAddOn } from '@svc/face-models/node';

/**
 * One engine for many devices. Has the passive add-on if the public test data is there; otherwise staff supervision is
 * declared.
 */
export interface Doorway {
  readonly passive: boolean;
  /** A device in its own folder below the doorway's; the same name gives the same device. */
  openDevice(deviceToken: string, region: Region, folder: string, staffInView?: boolean): Promise<CheckInDevice>;
  /** The paths of all files of a device, from its folder. */
  filesOf(folder: string): Promise<readonly string[]>;
  /** The content of all of a device's files as one text. */
  bytesOf(folder: string): Promise<string>;
  close(): Promise<void>;
}

export async function openDoorway(): Promise<Doorway> {
  const root = await mkdtemp(join(tmpdir(), 'svc-door-'));
  const upstream = sharedData('models', 'minifasnet');
  const addOnDirectory = join(root, 'add-ons');
  if (upstream === null) process.stdout.write('passive liveness: skipped: no ../shared\n');
  else await installAddOn('minifasnet', { from: upstream, addOnDirectory });
  const { engine, passiveLiveness, runtime } = await createNodeFaceEngine(
    withMiniFasNet(upstream === null ? null : addOnDirectory),
  );
  const shared: SharedEngine = { engine, passiveLiveness };
  const filesOf = async (folder: string) => {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  };
  return {
    passive: passiveLiveness !== null,
    openDevice: (deviceToken, region, folder, staffInView = passiveLiveness === null) =>
      createNodeCheckInDevice({
        deviceToken,
        region,
        directory: join(root, folder),
        engine: shared,
        ...(staffInView ? { passiveLiveness: 'absent-staff-in-view' } : {}),
      }),
    filesOf,
    async bytesOf(folder) {
      const contents = await Promise.all((await filesOf(folder)).map((path) => readFile(path, 'latin1')));
      return contents.join('\n');
    },
    async close() {
      passiveLiveness?.dispose();
      engine.dispose();
      runtime.dispose();
      await rm(root, { recursive: true, force: true });
    },
  };
}
