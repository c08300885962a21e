import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Cleanup } from '../cleanup.ts';
import type { ApiConfig } from '../config.ts';
import { openKeyEncryption } from '../crypto/kek-source.ts';
import { createKeyRing } from '../crypto/key-ring.ts';
import { createKeyRotation } from '../crypto/key-rotation.ts';
import { openKeyStorage } from '../crypto/key-storage.ts';
import { systemRandom } from '../crypto/random.ts';
import { openSigningKey } from '../crypto/signing-key.ts';
import { openDatabase } from '../db/connection.ts';
import { migrate } from '../db/migrate.ts';
import { createIds } from '../ids.ts';
import { createPrometheusMetrics } from '../metrics/prometheus.ts';
import type { ApiParts } from './parts.ts';
import { keyStorageTarget, openTarget } from './targets.ts';

/** What every service stands on: the database at its newest schema, the keys, clock and chance. */
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
  await mkdir(config.dataDirectory, { recursive: true, mode: 0o700 });

  const target = await openTarget(config, random, share, logger, cleanup);
  const metrics = createPrometheusMetrics();
  const database = openDatabase({ target, metrics, poolSize: config.traffic.databaseConnections });
  cleanup.add(() => database.close());
  await migrate(database.connection);

  const { dataDirectory, kek, kekFile } = config;
  const keyEncryption = await openKeyEncryption({ random, dataDirectory, kek, kekFile });
  const keysAt = keyStorageTarget(config);
  const storage = await openKeyStorage(keysAt ?? { kind: 'postgres', target }, random);
  cleanup.add(() => storage.close());
  const { keys: keyStore, erasures } = storage;
  const keyRing = createKeyRing({ keyEncryption, keyStore, clock, random });
  const rotation = createKeyRotation({ keyEncryption, keyStore });
  const signingKey = await openSigningKey(config.signingKeyFile ?? join(dataDirectory, 'signing-key.pem'));
  return {
    ...{ clock, random, ids, metrics, database },
    ...{ keyEncryption, keyStore, erasures, storage, keysApart: keysAt !== null, keyRing, rotation, signingKey },
  };
}
