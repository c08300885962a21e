import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleProgram } from '@svc/api/testing';
import { engineOf, type ModelBundle, modelFiles } from '@svc/face-models';
import { addOnNames, openModelBundle } from '@svc/face-models/node';
import type { ListResource } from '@svc/protocol';
import { floatNetworks, temporaryAddOn } from '../../inputs/engine.ts';
import type { BarePool } from '../service/bare-pool.ts';
import { addDevice } from '../service/device.ts';
import { createEnrolments, portraits } from '../service/enrolments.ts';
import { at, each } from '../service/pace.ts';
import { RawClient } from '../service/raw-client.ts';
import { startService } from '../service/start-service.ts';
import type { SuiteFactory } from '../suite.ts';

const WORKERS = 2;
/** Concurrent enrolments, in both cases: enough that no worker is idle. */
const AT_ONCE = 3 * WORKERS;
/** Number of warm-up runs, in both cases, after which V8 has compiled the code. */
const WARM_UP = 300;

/** Bundled like the service, so that timings are comparable. @param networks instead of the installed ones */
async function bundleBarePool(networks: ModelBundle | null) {
  const program = await bundleProgram(new URL('../service/bare-pool.ts', import.meta.url));
  if (networks !== null) {
    const folder = join(dirname(program.path), 'base-models');
    await mkdir(folder);
    for (const [name, bytes] of await modelFiles(networks, networks.manifest))
      await writeFile(join(folder, name), bytes);
  }
  const { openBarePool }: typeof import('../service/bare-pool.ts') = await import(pathToFileURL(program.path).href);
  return { openBarePool, remove: program.remove };
}

/** The cost of everything around the engine: HTTP, JSON, keys, PostgreSQL, the consent ledger, billing, the outbox. */
export const createSuite: SuiteFactory = async (scale) => {
  const isFull = scale === 'full';
  const photos = await portraits(isFull ? 6 : 1);
  // So many that the idle workers at both ends of a batch hardly matter: the result is a rate.
  const people = isFull ? 128 : 1;
  const addOn = await temporaryAddOn(addOnNames);
  const addOnDirectory = addOn?.directory ?? null;
  const workers = isFull ? WORKERS : 1;
  const environment = addOnDirectory === null ? {} : { SVC_MODELS_DIR: addOnDirectory };
  const service = await startService({ inference: 'models', workers, environment });
  const { manifest } = await openModelBundle(addOnDirectory === null ? {} : { addOnDirectory });
  const { engineId } = engineOf(manifest);
  const networks = await floatNetworks();
  const [whole, real] = [await bundleBarePool(null), await bundleBarePool(networks)];
  const bare = await whole.openBarePool({ workers, engineId, addOnDirectory });
  const floatEngine = engineOf(networks.manifest).engineId;
  const floats = await real.openBarePool({ workers, engineId: floatEngine, addOnDirectory: null });
  const client = new RawClient(service.url);
  const { listId } = await service.call<ListResource>('POST', '/v1/lists', { name: 'Bench', ongoing: true });
  await service.call('POST', '/v1/webhooks', { url: 'https://receiver.invalid/', eventTypes: ['person.enrolled'] });
  const enrolments = createEnrolments(service, listId, photos);
  const enrolled: string[] = [];

  async function enrol(count: number): Promise<void> {
    await each(count, AT_ONCE, async (turn) => {
      const { status, body, personId } = await enrolments.send(client, turn);
      if (status !== 201) throw new Error(`an enrolment was answered ${status} ${body.toString('utf8')}`);
      enrolled.push(personId);
    });
  }
  const sealBare = (pool: BarePool, count: number) => each(count, AT_ONCE, (turn) => pool.seal(at(photos, turn)));
  const bareCase = (name: string, pool: BarePool) => ({
    name,
    run: () => sealBare(pool, people),
    check: async () => {
      ok((await pool.seal(at(photos, 0))).length > 0);
      if (isFull) await sealBare(pool, WARM_UP);
    },
  });

  const bareName = `bare engine (${engineId})`;
  const floatsName = 'bare engine in floats';
  const apiName = 'whole service';
  return {
    title: 'Enrolment',
    about: `Each case processes ${people} photos: ${photos.length} rendered portraits of about ${Math.round(at(photos, 0).length / 1000)} KB in turn, with ${WORKERS} inference workers and ${AT_ONCE} requests at a time. “Bare engine” is the workers without the service. “Whole service” is reached by HTTP on loopback, with API and PostgreSQL as separate processes on the same cores.`,
    cases: [
      bareCase(bareName, bare),
      bareCase(floatsName, floats),
      {
        name: apiName,
        run: () => enrol(people),
        check: async () => {
          await enrol(isFull ? WARM_UP : photos.length);
          const device = await addDevice(service, listId);
          const { bytes, nonce } = device.request(0);
          const answer = await device.verify((await client.send(bytes)).body, nonce);
          equal(answer.manifest.recordCount, enrolled.length);
          equal((await device.openPeople(answer, enrolled)).length, enrolled.length);
          deepEqual(
            await service.query(
              `SELECT (SELECT count(*)::int FROM people) AS people, (SELECT count(*)::int FROM consents) AS consents,
                 (SELECT people_billed FROM accounts) AS billed, (SELECT count(*)::int FROM webhook_deliveries) AS told`,
            ),
            [{ people: enrolled.length, consents: enrolled.length, billed: enrolled.length, told: enrolled.length }],
          );
        },
      },
    ],
    ratios: [
      { name: 'whole service over bare engine', fast: apiName, slow: bareName, atLeast: 0.85 },
      { name: 'bare engine: integers over floats', fast: bareName, slow: floatsName, atLeast: 1.35 },
    ],
    figures: [
      {
        name: 'enrolments a second, one node',
        text: (medianMs) => (people / (medianMs(apiName) / 1000)).toFixed(1),
      },
    ],
    rounds: 7,
    clock: 'wall',
    async close() {
      client.close();
      await bare.close();
      await floats.close();
      await service.close();
      for (const { remove } of [whole, real]) await remove();
      await addOn?.remove();
    },
  };
};
