import { mkdir } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { ApiConfig } from '../config/config.ts';
import { openingDatabase, openingFiles } from '../config/start-error.ts';
import { openKeyEncryption } from '../crypto/key-encryption.ts';
import { createKeyRing } from '../crypto/key-ring.ts';
import { createKeyRotation } from '../crypto/key-rotation.ts';
import { type KeyStorage, openKeyStorage } from '../crypto/key-storage.ts';
import { openSigning } from '../crypto/signing.ts';
import { signingSource } from '../crypto/signing-key.ts';
import { openDatabase } from '../db/connection.ts';
import { migrate } from '../db/migrate.ts';
import { createMetrics } from '../metrics/metrics.ts';
import type { Cleanup } from '../platform/cleanup.ts';
import { createIds, type Random, systemRandom } from '../platform/ports.ts';
import type { ApiParts } from './parts.ts';
import { keyStorageTarget, openTarget } from './targets.ts';

const TOO_MUCH =
  'the role that serves does more than read and write rows: docs/operate/operations.md, “Two roles”, has the steps';

/** The base of all services: database with current schema, keys, clock and random source. */
export async function openFoundations(
  config: ApiConfig,
  parts: ApiParts,
  share: boolean,
  logger: Logger,
  cleanup: Cleanup,
) {
  const clock = parts.clock ?? { now: () => Date.now() };
  const random = parts.random ?? systemRandom;
  const ids = createIds(clock, random);
  await openingFiles('SVC_DATA_DIR', () => mkdir(config.dataDirectory, { recursive: true, mode: 0o700 }));

  const opened = await openingFiles('SVC_DATA_DIR', () => openTarget(config, random, share, logger, cleanup));
  const { target, owner, embedded } = opened;
  const metrics = createMetrics();
  const moved: (() => void)[] = [];
  const database = openDatabase({
    ...{ target, metrics, poolSize: config.traffic.databaseConnections },
    onMoved() {
      logger.warn('another server of the database was promoted: this node uses it from now on');
      for (const tell of moved) tell();
    },
  });
  cleanup.add(() => database.close());
  const readied = () => migrate(database.connection, owner);
  const role = await (embedded === null ? openingDatabase('DATABASE_URL', readied) : readied());

  const { kekFile, signingKeyFile } = config;
  const keyEncryption = await openingFiles(kekFile === undefined ? 'SVC_DATA_DIR' : 'SVC_KEK_FILE', () =>
    openKeyEncryption({ ...config, random }),
  );
  cleanup.add(() => keyEncryption.close());
  const storage = await openKeys(config, random);
  cleanup.add(() => storage.close());
  for (const each of [role, storage.role]) if (each !== null && each.excess.length > 0) logger.warn(each, TOO_MUCH);
  const { keys: keyStore, erasures } = storage;
  const keyRing = createKeyRing({ keyEncryption, keyStore, clock, random });
  const rotation = createKeyRotation({ keyEncryption, keyStore });
  const signing = await openingFiles(signingKeyFile === undefined ? 'SVC_DATA_DIR' : 'SVC_SIGNING_KEY_FILE', () =>
    openSigning({ note: storage.signing, source: signingSource(config), clock }),
  );
  return {
    ...{ clock, random, ids, metrics, database },
    ...{ keyEncryption, keyStore, erasures, storage, keyRing, rotation, signing },
    scrub: embedded?.scrub ?? null,
    /** Calls back after a promotion: what the former primary had confirmed last may be missing. */
    whenMoved: (tell: () => void) => void moved.push(tell),
  };
}

function openKeys(config: ApiConfig, random: Random): Promise<KeyStorage> {
  const open = () => openKeyStorage(keyStorageTarget(config), random);
  if (config.keyDatabaseUrl !== undefined)
    return openingDatabase('SVC_KEY_DATABASE_URL', () =>
      openingFiles(config.keySecretsDirectory === undefined ? 'SVC_DATA_DIR' : 'SVC_KEY_SECRETS_DIR', open),
    );
  return openingFiles(config.keyStoreDirectory === undefined ? 'SVC_DATA_DIR' : 'SVC_KEY_STORE_DIR', open);
}
