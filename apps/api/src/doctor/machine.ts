import { access, constants, stat, statfs } from 'node:fs/promises';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { examine, type Finding, failed, ok, reasonOf, type Verdict, warning } from './check.ts';

const OLDEST_NODE = [20, 19] as const;
const GIGABYTE = 2 ** 30;
const LEAST_FREE_BYTES = GIGABYTE / 4;
const LITTLE_FREE_BYTES = 2 * GIGABYTE;

/** @param version as `process.versions.node` has it */
export function nodeVersion(version: string): Verdict {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  return isOld ? failed(`Node ${version}; ${OLDEST_NODE.join('.')} or newer is needed`) : ok(`Node ${version}`);
}

/** The folder that holds keys and the embedded database: its owner's alone, and writable. */
export async function dataFolder(path: string): Promise<Verdict> {
  const { mode, uid } = await stat(path);
  await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  if (process.platform === 'win32') return ok('writable');
  const octal = (mode & 0o777).toString(8);
  const own = process.getuid?.();
  if (own !== undefined && own !== 0 && uid !== own) return warning(`belongs to another user (${uid})`);
  return (mode & 0o077) === 0
    ? ok(`writable, mode ${octal}`)
    : warning(`mode ${octal}: others may look in; chmod 700 it`);
}

/** @param freeBytes what the service's user may still write */
export function freeSpace(freeBytes: number): Verdict {
  const text = `${(freeBytes / GIGABYTE).toFixed(1)} GiB free`;
  if (freeBytes < LEAST_FREE_BYTES) return failed(text);
  return freeBytes < LITTLE_FREE_BYTES ? warning(text) : ok(text);
}

export async function freeSpaceAt(path: string): Promise<Verdict> {
  const { bavail, bsize } = await statfs(path);
  return freeSpace(bavail * bsize);
}

const engineText = (engineId: string) => ok(`${engineId}, golden outputs reproduced`);

/**
 * Loads the deployment's engine and the passive check, an operator's add-ons included, and has them reproduce their golden outputs, as every
 * inference thread does at its start. A service without an add-on, or with one that is broken, enrols all the same.
 */
export async function examineModels(engineId?: string): Promise<Finding[]> {
  const chosen = engineId === undefined ? {} : { engineId };
  try {
    const { engine, passiveLiveness, runtime } = await createNodeFaceEngine(chosen);
    runtime.dispose();
    const passive = passiveLiveness === null ? 'none installed' : `${passiveLiveness.name}, golden outputs reproduced`;
    return [
      { check: 'models', ...engineText(engine.engineId) },
      { check: 'passive liveness', ...ok(passive) },
    ];
  } catch (error) {
    const models = await examine('models', async () => {
      const { engine, runtime } = await createNodeFaceEngine({ ...chosen, addOnDirectory: null, passiveModel: null });
      runtime.dispose();
      return engineText(engine.engineId);
    });
    if (models.status === 'failed') return [models];
    return [models, { check: 'passive liveness', ...warning(`cannot be used: ${reasonOf(error)}`) }];
  }
}
