import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { openEngines } from '../compose/engines.ts';
import { keyStorageTarget, type OpenedTarget, openTarget } from '../compose/targets.ts';
import type { ApiConfig } from '../config/config.ts';
import { openKeyEncryption } from '../crypto/key-encryption.ts';
import { findKeyStorage } from '../crypto/key-storage.ts';
import { readSigningRecord, requireCurrent } from '../crypto/signing.ts';
import { signingSource } from '../crypto/signing-key.ts';
import { type DatabaseTarget, openDatabase } from '../db/connection.ts';
import { migrations } from '../db/migrations/index.ts';
import { roleFacts } from '../db/roles.ts';
import { createListStore } from '../features/lists/store.ts';
import { createRestoreStore } from '../features/restore/store.ts';
import { Cleanup } from '../platform/cleanup.ts';
import { createLogger } from '../platform/logger.ts';
import { systemRandom } from '../platform/ports.ts';
import {
  clockDifference,
  databaseLog,
  databaseRole,
  databaseVersion,
  dataFolder,
  enginesOfLists,
  examine,
  examineModels,
  type Finding,
  failed,
  freeSpaceAt,
  kekMatch,
  nodeVersion,
  ok,
  schemaState,
  secretFile,
  type Verdict,
  warning,
} from './checks.ts';
import { createDoctorStore } from './store.ts';

const namesOf = (steps: readonly { readonly name: string }[]) => steps.map(({ name }) => name);
const missing = (path: string) =>
  stat(path).then(
    () => false,
    () => true,
  );

function examineMachine({ dataDirectory }: ApiConfig): Promise<Finding>[] {
  return [
    examine('node', () => nodeVersion(process.versions.node, new Date().toISOString().slice(0, 10))),
    examine('data folder', async () =>
      (await missing(dataDirectory)) ? warning('missing: the first start creates it') : dataFolder(dataDirectory),
    ),
    examine('disk', async () => freeSpaceAt((await missing(dataDirectory)) ? dirname(dataDirectory) : dataDirectory)),
  ];
}

function examineFiles(config: ApiConfig): Promise<Finding>[] {
  const { dataDirectory, kek, kekFile, signingKeyFile } = config;
  const source = signingSource(config);
  return [
    examine('key-encryption keys', () =>
      kek !== undefined ? ok('from SVC_KEK') : secretFile(kekFile ?? join(dataDirectory, 'kek'), kekFile !== undefined),
    ),
    examine('signing key', async () => {
      const ids = async () => (await source.read()).map(({ keyId }) => keyId).join(' and ');
      if (source.path === null) return ok(`${await ids()}, from SVC_SIGNING_KEY`);
      const file = await secretFile(source.path, signingKeyFile !== undefined);
      return file.status === 'ok' ? ok(`${await ids()}, ${file.detail}`) : file;
    }),
  ];
}

/** The place of the keys, whether it is the store that the database expects, and whether the KEKs open it. */
async function examineKeyStore(config: ApiConfig, opened: OpenedTarget, cleanup: Cleanup): Promise<Finding[]> {
  const database = openDatabase({ target: opened.target, poolSize: 1 });
  cleanup.add(() => database.close());
  const restore = createRestoreStore(database.connection);
  const store = createDoctorStore(database.connection);
  if ((await store.applied('schema_migrations')) === null) return [];
  const target = keyStorageTarget(config);

  const findings: Finding[] = [];
  const isKnown = await examine('key store', async (): Promise<Verdict> => {
    const link = await restore.link();
    const storage = await findKeyStorage(target);
    const place = `apart, in a ${target.kind === 'folder' ? 'folder' : 'database'}`;
    if (storage === null) {
      return link === null
        ? warning(`${place}: none yet, the next start creates it`)
        : failed(`${place}: none; the keys of this database are in another place`);
    }
    cleanup.add(() => storage.close());
    if (link !== null && link.storeId !== storage.storeId)
      return failed(`${place}: not the one that belongs to this database`);
    const { role } = storage;
    if (role !== null) findings.push(await examine('key store role', () => databaseRole(role)));
    const keysOf = await storage.keys.countByKek();
    findings.push(
      await examine('signing key match', async () => {
        const record = await readSigningRecord(storage.signing);
        if (record === null) return warning('none recorded yet: the next start records it');
        const { keyId } = requireCurrent(record, await signingSource(config).read());
        const others = record.keys.length - 1;
        return ok(`devices trust ${keyId}${others === 0 ? '' : ', another is announced: svc signing-key status'}`);
      }),
    );
    const { dataDirectory, kek, kekFile } = config;
    findings.push(
      await examine('KEK match', async () => {
        if (kek === undefined && (await missing(kekFile ?? join(dataDirectory, 'kek')))) {
          return keysOf.size === 0 ? warning('none yet') : failed('the key store has keys, but there is no KEK here');
        }
        const keyEncryption = await openKeyEncryption({ ...config, random: systemRandom });
        cleanup.add(() => keyEncryption.close());
        return kekMatch(keyEncryption, keysOf);
      }),
    );
    return ok(place);
  });
  findings.unshift(isKnown);
  return findings;
}

async function examineDatabase(config: ApiConfig, target: DatabaseTarget, cleanup: Cleanup): Promise<Finding[]> {
  const database = openDatabase({ target, poolSize: 1 });
  cleanup.add(() => database.close());
  const store = createDoctorStore(database.connection);
  await store.facts();
  const startedAt = performance.now();
  const askedAt = Date.now();
  const facts = await store.facts();
  const latencyMs = performance.now() - startedAt;
  return Promise.all([
    examine('database', () => databaseVersion(facts, latencyMs)),
    examine('schema', async () => schemaState(await store.applied('schema_migrations'), namesOf(migrations))),
    examine('clock', () => clockDifference(facts.now.getTime() - (askedAt + latencyMs / 2))),
    examine('database log', () => databaseLog(facts)),
    examine('database role', async () => databaseRole(await roleFacts(database.connection))),
    examine('models of lists', async () => {
      // Older schemas have no engine per list.
      const applied = await store.applied('schema_migrations');
      if (applied === null || !applied.includes('0012-engines-of-lists')) return ok('no list has a model yet');
      const { engines } = await openEngines(config, createLogger('silent'));
      return enginesOfLists(engines, await createListStore(database.connection).enginesInUse(facts.now));
    }),
  ]);
}

/**
 * Checks all parts of a deployment independently and changes nothing: creates no key, key store, schema or folder.
 * Starts the embedded database if it is not running.
 */
export async function examineDeployment(config: ApiConfig): Promise<Finding[]> {
  const cleanup = new Cleanup();
  try {
    const findings = await Promise.all([...examineMachine(config), ...examineFiles(config)]);
    findings.push(...(await examineModels(config)));
    if (config.databaseUrl === null && (await missing(join(config.dataDirectory, 'postgres')))) {
      return [...findings, { check: 'database', ...warning('none yet: the first start creates it') }];
    }
    const reached = await examine('database', async () => {
      const opened = await openTarget(config, systemRandom, true, createLogger('silent'), cleanup);
      findings.push(...(await examineDatabase(config, opened.target, cleanup)));
      findings.push(...(await examineKeyStore(config, opened, cleanup)));
      return ok('');
    });
    return reached.status === 'ok' ? findings : [...findings, reached];
  } finally {
    await cleanup.run();
  }
}
