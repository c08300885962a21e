import { access, constants, stat, statfs } from 'node:fs/promises';
import { openPassiveLiveness } from '@svc/face-engine';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { installCommandOf, missingEngines } from '../compose/engines.ts';
import type { ApiConfig } from '../config/config.ts';
import { type Engines, enginesOf } from '../inference/engines.ts';
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

/** What is installed, what is loaded for new lists, and how to install the rest. */
function enginesText(engines: Engines): string {
  const installed = engines.known.filter(({ engineId }) => engines.isInstalled(engineId));
  const missing = engines.known.filter(({ engineId }) => !engines.isInstalled(engineId));
  const names = installed.map(({ engineId }) =>
    engineId === engines.standard.engineId ? `${engineId} (of new lists)` : engineId,
  );
  const commands = missing.map(({ engineId }) => `${engineId}: ${installCommandOf(engines, engineId) ?? 'unknown'}`);
  const more = commands.length === 0 ? '' : `; not installed: ${commands.join(', ')}`;
  return `${names.join(', ')}, golden outputs reproduced${more}`;
}

/**
 * Loads every engine that is installed and the passive check, an operator's add-ons included, and has them reproduce their golden outputs, as
 * inference threads do. A service enrols without a passive check, or with one that is broken, all the same.
 */
export async function examineModels({
  engineId,
  modelsDirectory: addOnDirectory,
}: Pick<ApiConfig, 'engineId' | 'modelsDirectory'>): Promise<Finding[]> {
  const chosen = { addOnDirectory, ...(engineId === undefined ? {} : { engineId }) };
  let passive: Finding | null = null;
  const models = await examine('models', async () => {
    const { engine, runtime, bundle } = await createNodeFaceEngine({ ...chosen, passiveModel: null });
    try {
      const engines = enginesOf(bundle.manifest, engineId);
      await engine.prepare(engine.recipes.map((recipe) => recipe.engineId));
      passive = await examinePassive({ core: engine.core, runtime, bundle });
      return ok(enginesText(engines));
    } finally {
      runtime.dispose();
    }
  });
  return passive === null ? [models] : [models, passive];
}

async function examinePassive(parts: Parameters<typeof openPassiveLiveness>[0]): Promise<Finding> {
  return examine('passive liveness', async () => {
    try {
      const liveness = await openPassiveLiveness(parts);
      return ok(liveness === null ? 'none installed' : `${liveness.name}, golden outputs reproduced`);
    } catch (error) {
      return warning(`cannot be used: ${reasonOf(error)}`);
    }
  });
}

/** Whether every list can be enrolled into by this node. @param inUse engines of lists that take people */
export function enginesOfLists(engines: Engines, inUse: readonly string[]): Verdict {
  const missing = missingEngines(engines, inUse);
  if (missing.length > 0) return failed(`lists take no enrolments here: ${missing.join('; ')}`);
  return ok(inUse.length === 0 ? 'no list takes people' : `${inUse.join(', ')}: all installed`);
}
