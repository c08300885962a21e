import { access, constants, stat, statfs } from 'node:fs/promises';
import { readPrivateFile } from '@svc/durable-fs';
import { openPassiveLiveness } from '@svc/face-engine';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { installCommandOf, missingEngines } from '../compose/engines.ts';
import type { ApiConfig } from '../config/config.ts';
import type { KeyEncryption } from '../crypto/key-encryption.ts';
import { type Engines, enginesOf } from '../inference/engines.ts';
import type { DatabaseFacts } from './store.ts';

/** What a look at one part of a deployment came to. A warning is nothing that keeps it from working today. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  /** One line for an operator; no secret is in it. */
  readonly detail: string;
}

export type Verdict = Omit<Finding, 'check'>;

export const ok = (detail: string): Verdict => ({ status: 'ok', detail });
export const warning = (detail: string): Verdict => ({ status: 'warning', detail });
export const failed = (detail: string): Verdict => ({ status: 'failed', detail });

/** The message of an error for an operator, on one line. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error && error.message !== '' ? error.message : 'unknown reason';
  return message.replace(/\s+/g, ' ').slice(0, 300);
}

/** Looks at one part; that it could not even be looked at is a finding too. */
export async function examine(check: string, look: () => Promise<Verdict> | Verdict): Promise<Finding> {
  try {
    return { check, ...(await look()) };
  } catch (error) {
    return { check, ...failed(reasonOf(error)) };
  }
}

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
 * Loads every engine that is installed and the passive check, an operator's add-ons included, and has them reproduce
 * their golden outputs, as inference threads do. A service enrols without a passive check, or with one that is broken,
 * all the same.
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

/**
 * A secret's file: there, and its owner's alone.
 * @param isConfigured a configured file must be there; another one is made at the first start
 */
export async function secretFile(path: string, isConfigured: boolean): Promise<Verdict> {
  const content = await readPrivateFile(path);
  if (content !== null) return ok('there, and its owner’s alone');
  return isConfigured ? failed('does not exist') : warning('not there yet: the first start makes it');
}

/**
 * Whether the KEKs at hand are those that wrapped what the key store holds.
 * @param keysOf how many keys each KEK has wrapped
 */
export function kekMatch(keyEncryption: Pick<KeyEncryption, 'kekIds'>, keysOf: ReadonlyMap<string, number>): Verdict {
  const [current] = keyEncryption.kekIds;
  const missing = [...keysOf.keys()].filter((kekId) => !keyEncryption.kekIds.includes(kekId));
  if (missing.length > 0) return failed(`not at hand: ${missing.join(', ')}; what they wrapped cannot be read`);
  const total = [...keysOf.values()].reduce((sum, keys) => sum + keys, 0);
  const older = total - (keysOf.get(current) ?? 0);
  if (older > 0)
    return warning(`${older} of ${total} keys are wrapped by an older key-encryption key: svc keys rotate`);
  return ok(`${current} wraps ${total === 0 ? 'nothing yet' : `all ${total} keys`}`);
}

const OLDEST_POSTGRES = 150_000;
/** Consents may lie five minutes ahead, devices bear two: a node's clock must be closer than that. */
const CLOCK_WARNING_MS = 2_000;
const CLOCK_FAILURE_MS = 60_000;

export function databaseVersion(facts: DatabaseFacts, latencyMs: number): Verdict {
  if (facts.versionNumber < OLDEST_POSTGRES) return failed(`PostgreSQL ${facts.version}; 15 or newer is needed`);
  if (facts.isReadOnly) return failed(`PostgreSQL ${facts.version} takes no writes: it is a standby`);
  return ok(`PostgreSQL ${facts.version}, answers in ${Math.max(1, Math.round(latencyMs))} ms`);
}

export function databaseLog({ logsValues }: DatabaseFacts): Verdict {
  return logsValues
    ? warning('its log may hold personIds: set log_parameter_max_length and …_on_error to 0')
    : ok('values of statements stay out of it');
}

/** @param differenceMs the database's clock minus this machine's */
export function clockDifference(differenceMs: number): Verdict {
  const seconds = (differenceMs / 1_000).toFixed(1);
  const text =
    `the database’s clock is ${seconds} s ${differenceMs < 0 ? 'behind' : 'ahead of'} this machine’s`.replace('-', '');
  const off = Math.abs(differenceMs);
  if (off > CLOCK_FAILURE_MS) return failed(text);
  return off > CLOCK_WARNING_MS ? warning(text) : ok(text);
}

/** @param applied null where there is no schema yet */
export function schemaState(applied: readonly string[] | null, known: readonly string[]): Verdict {
  if (applied === null) return warning('empty: the first start makes it');
  const pending = known.filter((name) => !applied.includes(name));
  if (pending.length > 0) return warning(`${pending.length} migrations behind: the next start applies them`);
  const newer = applied.filter((name) => !known.includes(name));
  if (newer.length > 0) return warning(`a newer version of the service has applied ${newer.join(', ')}`);
  return ok(`up to date, ${known.length} migrations`);
}
