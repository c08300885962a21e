import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webClock, webRandom, webTimers } from './platform/platform.ts';
import { createFetchTransport } from './platform/transport.ts';
import { createMemoryKeyStore, createMemoryPackStore } from './storage/memory-stores.ts';
import {
  clockContract,
  keyStoreContract,
  packStoreContract,
  randomContract,
  transportContract,
} from './testing/contracts.ts';
import { startTransportServer, type TransportServer } from './testing/transport-server.ts';
import { readWhole, whole } from './testing/watched-stores.ts';

describe('memory key store', () => {
  it.each(keyStoreContract)('$name', ({ check }) => check({ port: createMemoryKeyStore(), reopen: null }));
});

describe('memory pack store', () => {
  it.each(packStoreContract)('$name', ({ check }) => check({ port: createMemoryPackStore(), reopen: null }));

  it('keeps copies of Buffers too', async () => {
    const store = createMemoryPackStore();
    const bytes = Buffer.from([1, 2, 3]);
    await store.writePack(1, whole(bytes));
    await store.writeState(bytes);
    bytes.fill(0);
    expect([await readWhole(store, 1), await store.readState()]).toEqual([
      Uint8Array.of(1, 2, 3),
      Uint8Array.of(1, 2, 3),
    ]);
  });
});

describe('web clock and timers', () => {
  it.each(clockContract)('$name', ({ check }) => check({ clock: webClock, timers: webTimers }));
});

describe('web random', () => {
  it.each(randomContract)('$name', ({ check }) => check(webRandom));
});

describe('fetch transport', () => {
  let server: TransportServer;
  beforeAll(async () => {
    server = await startTransportServer();
  });
  afterAll(() => server.close());

  it.each(transportContract)('$name', ({ check }) => check({ transport: createFetchTransport(), baseUrl: server.url }));
});
