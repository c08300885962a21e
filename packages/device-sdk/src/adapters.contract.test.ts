import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webTimers } from './platform/platform.ts';
import { createFetchTransport } from './platform/transport.ts';
import { createMemoryKeyStore, createMemoryPackStore } from './storage/memory-stores.ts';
import { keyStoreContract, packStoreContract, transportContract } from './testing/contracts.ts';
import { startTransportServer, type TransportServer } from './testing/transport-server.ts';

const once = <Port>(port: Port) => ({ port, reopen: async () => port });

describe('memory key store', () => {
  it.each(keyStoreContract)('$name', ({ check }) => check(once(createMemoryKeyStore())));
});

describe('memory pack store', () => {
  it.each(packStoreContract)('$name', ({ check }) => check(once(createMemoryPackStore())));
});

it('web timers call once, in order, and not when cancelled', async () => {
  const calls: string[] = [];
  webTimers.after(20, () => calls.push('b'));
  webTimers.after(1, () => calls.push('a'));
  webTimers.after(5, () => calls.push('cancelled'))();
  await new Promise<void>((resolve) => void webTimers.after(60, resolve));
  expect(calls).toEqual(['a', 'b']);
});

describe('fetch transport', () => {
  let server: TransportServer;
  beforeAll(async () => {
    server = await startTransportServer();
  });
  afterAll(() => server.close());

  it.each(transportContract)('$name', ({ check }) => check({ transport: createFetchTransport(), baseUrl: server.url }));
});
