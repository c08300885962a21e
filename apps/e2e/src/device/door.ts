import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporaryAddOn, withMiniFasNet } from '@svc/benchmarks/inputs/engine';
import type { Region } from '@svc/device-sdk';
import { createNodeCheckInDevice } from '@svc/device-sdk-node';
import { createNodeFaceEngine } from '@svc/face-engine/node';

/**
 * One engine for many devices. Has the passive add-on if the public test data is there; otherwise staff supervision is
 * declared.
 */
export async function openDoorway() {
  const root = await mkdtemp(join(tmpdir(), 'svc-door-'));
  const addOn = await temporaryAddOn();
  if (addOn === null) process.stdout.write('passive liveness: skipped: no ../shared\n');
  const { engine, passiveLiveness, runtime } = await createNodeFaceEngine(withMiniFasNet(addOn?.directory ?? null));
  /** The paths of all files of a device, from its folder. */
  const filesOf = async (folder: string) => {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  };
  return {
    passive: passiveLiveness !== null,
    /** A device in its own folder below the doorway's; the same name gives the same device. */
    openDevice: (deviceToken: string, region: Region, folder: string) =>
      createNodeCheckInDevice({
        ...{ deviceToken, region, directory: join(root, folder), engine: { engine, passiveLiveness } },
        ...(passiveLiveness === null ? { passiveLiveness: 'absent-staff-in-view' } : {}),
      }),
    filesOf,
    /** The content of all of a device's files as one text. */
    async bytesOf(folder: string) {
      const contents = await Promise.all((await filesOf(folder)).map((path) => readFile(path, 'latin1')));
      return contents.join('\n');
    },
    async close() {
      passiveLiveness?.dispose();
      engine.dispose();
      runtime.dispose();
      await addOn?.remove();
      await rm(root, { recursive: true, force: true });
    },
  };
}
export type Doorway = Awaited<ReturnType<typeof openDoorway>>;
