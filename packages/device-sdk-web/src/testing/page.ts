/** Functions that tests call in the page: the adapters and suites over them. */

import { createFetchTransport } from '@svc/device-sdk/adapters';
import { keepListKeys, keyStoreContract, packStoreContract } from '@svc/device-sdk/testing/contracts';
import { holdDevice } from '../database/device-database.ts';
import * as sdk from '../index.ts';
import { fakeCamera, openCamera, recordWorkers } from './page-faults.ts';
import { describeDevice, openKeys, openPacks, prepareDevice } from './stored-device.ts';

const contracts = {
  keys: async (index: number, name: string) =>
    keyStoreContract[index]?.check({ port: await openKeys(name), reopen: () => openKeys(name) }),
  packs: async (index: number, name: string) =>
    packStoreContract[index]?.check({ port: await openPacks(name), reopen: () => openPacks(name) }),
};

/** Code of the rejection; null if it resolves. */
async function codeOf(action: () => Promise<unknown>): Promise<string | null> {
  try {
    await action();
    return null;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

/** Name of the rejection; null if it resolves. */
const nameOf = (action: () => Promise<unknown>): Promise<string | null> =>
  action().then(
    () => null,
    (error: Error) => error.name,
  );

/** Message of the rejection; null if it resolves. */
const messageOf = (action: () => Promise<unknown>): Promise<string | null> =>
  action().then(
    () => null,
    (error: Error) => error.message,
  );

/** Status of the answer to a check-in; null without an answer. */
const post = (url: string): Promise<number | null> =>
  createFetchTransport()({
    url,
    headers: {
      'content-type': 'application/json',
      'webhook-id': 'chk_1',
      'webhook-timestamp': '1',
      'webhook-signature': 'v1,AA==',
    },
    body: new TextEncoder().encode('{}'),
    signal: AbortSignal.timeout(10_000),
  }).then(
    ({ status }) => status,
    () => null,
  );

const page = {
  ...sdk,
  contracts,
  openKeys,
  openPacks,
  keepListKeys,
  prepareDevice,
  describeDevice,
  holdDevice,
  openCamera,
  fakeCamera,
  recordWorkers,
  codeOf,
  nameOf,
  messageOf,
  post,
};

declare global {
  // Only `var` declares globals.
  var svcPage: typeof page;
}

globalThis.svcPage = page;
