import { access, constants, stat, statfs } from 'node:fs/promises';
import { readPrivateFile } from '@svc/durable-fs';
import { openPassiveLiveness } from '@svc/face-engine';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { type EngineVersion, enginesIn, type ModelManifest, versionsOf } from '@svc/face-models';
import { installCommandOf, missingEngines } from '../compose/engines.ts';
import { type ApiConfig, operatorCommand } from '../config/config.ts';
import type { KeyEncryption } from '../crypto/key-encryption.ts';
import type { RoleFacts } from '../db/roles.ts';
import { type Engines, enginesOf, isBuiltIn } from '../inference/engines.ts';
import { CLOCK_LIMIT_MS } from '../platform/lease.ts';
import type { DatabaseFacts } from './store.ts';

/** Result of one check. A warning does not prevent operation today. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed';
  /** One line for an operator, without secrets. */
  readonly detail: string;
}

export type Verdict = Omit<Finding, 'check'>;

export const ok = (detail: string): Verdict => ({ status: 'ok', detail });
export const warning = (detail: string): Verdict => ({ status: 'warning', detail });
export const failed = (detail: string): Verdict => ({ status: 'failed', detail });

/** An error's message on one line, for an operator. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error && error.message !== '' ? error.message : 'unknown reason';
  return message.replace(/\s+/g, ' ').slice(0, 300);
}

/** Runs one check; an exception becomes a finding too. */
export async function examine(check: string, look: () => Promise<Verdict> | Verdict): Promise<Finding> {
  try {
    return { check, ...(await look()) };
  } catch (error) {
    return { check, ...failed(reasonOf(error)) };
  }
}

const OLDEST_NODE = [20, 19] as const;
/** By when each line of Node has had its last security fix: https://github.com/nodejs/Release. */
const NODE_ENDS: Readonly<Record<number, string>> = {
  ...{ 20: '2026-04-30', 21: '2024-06-01', 22: '2027-04-30', 23: '2025-06-01', 24: '2028-04-30', 25: '2026-06-01' },
};
const GIGABYTE = 2 ** 30;
const LEAST_FREE_BYTES = GIGABYTE / 4;
const LITTLE_FREE_BYTES = 2 * GIGABYTE;

/**
 * @param version as in `process.versions.node`
 * @param today as `2026-11-29`
 */
export function nodeVersion(version: string, today: string): Verdict {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  if (isOld) return failed(`Node ${version}; ${OLDEST_NODE.join('.')} or newer is needed`);
  const end = NODE_ENDS[major];
  if (end === undefined || today <= end) return ok(`Node ${version}`);
  return warning(`Node ${version} has had no security fixes since ${end}; use Node 24`);
}

/** The folder with keys and the embedded database: accessible to its owner only, and writable. */
export async function dataFolder(path: string): Promise<Verdict> {
  const { mode, uid } = await stat(path);
  await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  if (process.platform === 'win32') return ok('writable');
  const octal = (mode & 0o777).toString(8);
  const own = process.getuid?.();
  if (own !== undefined && own !== 0 && uid !== own) return warning(`belongs to another user (${uid})`);
  return (mode & 0o077) === 0
    ? ok(`writable, mode ${octal}`)
    : warning(`mode ${octal}: other users can read it; run chmod 700`);
}

/** @param freeBytes available to the service's user */
export function freeSpace(freeBytes: number): Verdict {
  const text = `${(freeBytes / GIGABYTE).toFixed(1)} GiB free`;
  if (freeBytes < LEAST_FREE_BYTES) return failed(text);
  return freeBytes < LITTLE_FREE_BYTES ? warning(text) : ok(text);
}

export async function freeSpaceAt(path: string): Promise<Verdict> {
  const { bavail, bsize } = await statfs(path);
  return freeSpace(bavail * bsize);
}

/** Installed engines with their former versions, the one of new lists, and commands to install the others. */
function enginesText(manifest: ModelManifest, engines: Engines): string {
  const installed = enginesIn(manifest);
  const missing = (manifest.engines ?? []).filter((recipe) => !installed.includes(recipe));
  const nameOf = ({ engineId }: EngineVersion) =>
    engineId === engines.standard.engineId ? `${engineId} (for new lists)` : engineId;
  const names = installed.map((recipe) => versionsOf(recipe).map(nameOf).join(', also '));
  const commands = missing.map(({ engineId }) => `${engineId}: ${installCommandOf(engines, engineId) ?? 'unknown'}`);
  const more = commands.length === 0 ? '' : `; not installed: ${commands.join(', ')}`;
  return `${names.join(', ')}, golden outputs reproduced${more}`;
}

/**
 * Loads every installed engine and the passive check, including an operator's add-ons, and verifies their golden
 * outputs, as inference threads do. A missing or broken passive check does not prevent enrolment.
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
      passive = await examinePassive({ runtime, bundle });
      const text = enginesText(bundle.manifest, engines);
      return isBuiltIn(engines.standard) ? warning(`built-in engine, which turns away more guests: ${text}`) : ok(text);
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
      const install = `${operatorCommand()} models add minifasnet`;
      if (liveness === null) return warning(`none installed, so devices need staff in view: ${install}`);
      const text = `${liveness.name}, golden outputs reproduced`;
      return parts.bundle.manifest.passiveLiveness?.evidence == null
        ? warning(`${text}; from an earlier release, not for unattended doors: ${install}`)
        : ok(text);
    } catch (error) {
      return warning(`cannot be used: ${reasonOf(error)}`);
    }
  });
}

/** Whether this node can enrol into every list. @param inUse engines of lists that accept people */
export function enginesOfLists(engines: Engines, inUse: readonly string[]): Verdict {
  const missing = missingEngines(engines, inUse);
  if (missing.length > 0) return failed(`lists that cannot enrol here: ${missing.join('; ')}`);
  const former = engines.known.filter((engine) => isBuiltIn(engine) && inUse.includes(engine.engineId));
  if (former.length > 0 && !isBuiltIn(engines.standard))
    return warning(
      'lists use the built-in engine: change their model (docs/operate/operations.md, “Changing the engine”)',
    );
  return ok(inUse.length === 0 ? 'no list accepts people' : `${inUse.join(', ')}: all installed`);
}

/**
 * A secret's file: present, and accessible to its owner only.
 * @param isConfigured a configured file must be present; otherwise the first start creates one
 */
export async function secretFile(path: string, isConfigured: boolean): Promise<Verdict> {
  const content = await readPrivateFile(path);
  if (content !== null) return ok('present, and readable only by its owner');
  return isConfigured ? failed('does not exist') : warning('missing: the first start creates it');
}

/** Whether the configured KEKs wrapped the keys in the key store. @param keysOf number of keys that each KEK wraps */
export function kekMatch(keyEncryption: Pick<KeyEncryption, 'kekIds'>, keysOf: ReadonlyMap<string, number>): Verdict {
  const [current] = keyEncryption.kekIds;
  const missing = [...keysOf.keys()].filter((kekId) => !keyEncryption.kekIds.includes(kekId));
  if (missing.length > 0) return failed(`missing: ${missing.join(', ')}; what they wrapped cannot be read`);
  const total = [...keysOf.values()].reduce((sum, keys) => sum + keys, 0);
  const older = total - (keysOf.get(current) ?? 0);
  if (older > 0)
    return warning(`${older} of ${total} keys are wrapped by an older key-encryption key: svc keys rotate`);
  return ok(`${current} wraps ${total === 0 ? 'nothing yet' : `all ${total} keys`}`);
}

const OLDEST_POSTGRES = 150_000;
const CLOCK_WARNING_MS = 1_000;

export function databaseVersion(facts: DatabaseFacts, latencyMs: number): Verdict {
  if (facts.versionNumber < OLDEST_POSTGRES) return failed(`PostgreSQL ${facts.version}; 15 or newer is needed`);
  return ok(`PostgreSQL ${facts.version}, answers in ${Math.max(1, Math.round(latencyMs))} ms`);
}

/** The role that serves requests. */
export const databaseRole = ({ role, excess }: RoleFacts): Verdict =>
  excess.length === 0
    ? ok(`${role} reads and writes rows, and cannot change tables`)
    : warning(`${role} ${excess.join(', ')}: see docs/operate/operations.md, “Two roles”`);

export function databaseLog({ logsValues }: DatabaseFacts): Verdict {
  return logsValues
    ? warning('its log may contain personIds: set log_parameter_max_length and …_on_error to 0')
    : ok('it has no values of statements');
}

/** @param differenceMs the database's clock minus this machine's */
export function clockDifference(differenceMs: number): Verdict {
  const seconds = (differenceMs / 1_000).toFixed(1);
  const text =
    `the database’s clock is ${seconds} s ${differenceMs < 0 ? 'behind' : 'ahead of'} this machine’s`.replace('-', '');
  const off = Math.abs(differenceMs);
  if (off > CLOCK_LIMIT_MS) return failed(text);
  return off > CLOCK_WARNING_MS ? warning(text) : ok(text);
}

/** @param applied null when there is no schema yet */
export function schemaState(applied: readonly string[] | null, known: readonly string[]): Verdict {
  if (applied === null) return warning('empty: the first start creates it');
  const pending = known.filter((name) => !applied.includes(name));
  if (pending.length > 0) return warning(`${pending.length} migrations behind: the next start applies them`);
  const newer = applied.filter((name) => !known.includes(name));
  if (newer.length > 0) return warning(`a newer version of the service has applied ${newer.join(', ')}`);
  return ok(`up to date, ${known.length} migrations`);
}
