import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  clockContract,
  keyStoreContract,
  packStoreContract,
  randomContract,
  transportContract,
} from '../contracts/index.ts';
import { readWhole, whole } from '../testing/watched-stores.ts';
import { createFetchTransport } from './fetch-transport.ts';
import { createMemoryKeyStore } from './memory-key-store.ts';
import { createMemoryPackStore } from './memory-pack-store.ts';
import { webClock, webRandom, webTimers } from './web-platform.ts';

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
  const server = createServer((request, response) => {
    const { url = '' } = request;
    if (url === '/hang') return;
    if (url === '/redirect') response.writeHead(302, { location: '/echo' }).end();
    else if (url === '/status/418') response.writeHead(418).end('short and stout');
    else if (url === '/post') {
      response.write(`${request.method} `);
      request.pipe(response);
    } else if (url === '/large') response.end(Buffer.alloc(1_000_000));
    else {
      response.setHeader('content-type', 'Application/vnd.svc.sync; charset=x');
      response.end(request.headers['svc-nonce']);
    }
  });
  let baseUrl = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it.each(transportContract)('$name', ({ check }) => check({ transport: createFetchTransport(), baseUrl }));
});
