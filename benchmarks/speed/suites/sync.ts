import { ok } from 'node:assert/strict';
import type { ListResource } from '@svc/protocol';
import { pseudoRandomBytes } from '../inputs/random.ts';
import { addDevice, type BenchDevice } from '../service/device.ts';
import { createEnrolments } from '../service/enrolments.ts';
import { at, each } from '../service/pace.ts';
import { type RawAnswer, RawClient } from '../service/raw-client.ts';
import { type BenchService, startService } from '../service/start-service.ts';
import type { BenchCase, SuiteFactory } from '../suite.ts';

const CLIENTS = 16;
const PEOPLE = 5;

interface ReadyList {
  readonly listId: string;
  readonly version: number;
  readonly devices: readonly BenchDevice[];
}

/** A list with people and devices that have synced: whole the first time, and fully verified. */
async function prepareList(service: BenchService, client: RawClient, deviceCount: number): Promise<ReadyList> {
  const { listId } = await service.call<ListResource>('POST', '/v1/lists', { name: 'Bench', ongoing: true });
  const enrolments = createEnrolments(service, listId, [Buffer.from('a face')]);
  const people = await each(PEOPLE, 1, async (turn) => (await enrolments.send(client, turn)).personId);
  const devices: BenchDevice[] = [];
  let version = 0;
  for (let i = 0; i < deviceCount; i += 1) {
    const device = await addDevice(service, listId);
    const { bytes, nonce } = device.request(0);
    const whole = await device.verify((await client.send(bytes)).body, nonce);
    ok((await device.openPeople(whole, people)).length === PEOPLE);
    version = whole.manifest.toVersion;
    devices.push(device);
  }
  return { listId, version, devices };
}

/** A sync of an up-to-date device, compared with the cheapest possible route of the same application. */
export const createSuite: SuiteFactory = async (scale) => {
  const isFull = scale === 'full';
  const requests = isFull ? 1_000 : 32;
  const service = await startService({ inference: 'fake', workers: 1 });
  const client = new RawClient(service.url);
  const lists: ReadyList[] = [];
  for (let i = 0; i < (isFull ? 8 : 1); i += 1) {
    lists.push(await prepareList(service, client, isFull ? 16 : 4));
  }
  const asked = lists.flatMap(({ devices, ...list }) => devices.map((device) => ({ ...list, device })));

  async function drive(send: (turn: number) => Promise<RawAnswer>): Promise<void> {
    await each(requests, CLIENTS, async (turn) => {
      const { status } = await send(turn);
      if (status !== 200) throw new Error(`answered ${status}`);
    });
  }
  function sync(turn: number): Promise<RawAnswer> {
    const { device, version } = at(asked, turn);
    return client.send(device.request(version).bytes);
  }
  function readRow(turn: number): Promise<RawAnswer> {
    const { listId } = at(asked, turn);
    // The size of a device's request.
    const filling = Buffer.from(pseudoRandomBytes(90, turn)).toString('base64url');
    return client.send(
      `GET ${service.oneRowPath}/${service.accountId}/${listId} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${filling}\r\nSvc-Filling: ${filling}\r\n\r\n`,
    );
  }

  const cases: readonly BenchCase[] = [
    {
      name: `${requests} syncs`,
      run: () => drive(sync),
      check: async () => {
        for (const { device, version } of asked) {
          const { bytes, nonce } = device.request(version);
          const { manifest, payload } = await device.verify((await client.send(bytes)).body, nonce);
          ok(manifest.toVersion === version && manifest.recordCount === PEOPLE && payload.length === 0);
        }
      },
    },
    {
      name: `${requests} one-row requests`,
      run: () => drive(readRow),
      check: async () => {
        const { body } = await readRow(0);
        ok(JSON.parse(body.toString('utf8')).listVersion === at(asked, 0).version);
      },
    },
  ];
  return {
    title: 'Sync without news',
    about: `${asked.length} devices of ${lists.length} lists sync over ${CLIENTS} connections on loopback, and there is nothing new. PostgreSQL and API are separate processes. A one-row request uses the API’s cheapest possible route: one query by primary key, without authentication.`,
    cases,
    ratios: [
      {
        name: 'syncs over one-row requests',
        fast: `${requests} syncs`,
        slow: `${requests} one-row requests`,
        atLeast: 0.55,
      },
    ],
    figures: [
      {
        name: 'syncs a second, one node',
        text: (medianMs) => (requests / (medianMs(`${requests} syncs`) / 1000)).toFixed(0),
      },
    ],
    clock: 'wall',
    async close() {
      client.close();
      await service.close();
    },
  };
};
