import { createFetchTransport, createMemoryKeyStore, createMemoryPackStore } from '@svc/device-sdk/adapters';
import { startTransportServer, type TransportServer } from '@svc/device-sdk/testing';
import { keyStoreContract, packStoreContract, transportContract } from '@svc/device-sdk/testing/contracts';
import { type Handlers, MAX_CHUNK_BYTES, PageChannel, type ShellRequests, toBase64Url } from '@svc/device-sdk-native';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeShell } from '../testing/fake-shell.ts';
import { createShellKeyStore, createShellPackStore, createShellTransport, storeAsker } from './shell-ports.ts';

/** One phone's storage, and shells over it, each with a page. */
function phone() {
  const storage = {
    keyStore: createMemoryKeyStore(),
    packStore: createMemoryPackStore(),
    transport: createFetchTransport(),
  };
  const texts: string[] = [];
  return {
    texts,
    open() {
      const shell = new FakeShell(storage, (text) => {
        texts.push(text);
        queueMicrotask(() => page.receive(text));
      });
      const hello = { minor: 0, sdkVersion: '0', session: toBase64Url(new Uint8Array(16)) };
      const send = (text: string) => {
        texts.push(text);
        shell.channel.receive(text);
      };
      const page: PageChannel = new PageChannel(hello, send, {} as Handlers<ShellRequests>);
      const ask = storeAsker(page);
      return {
        keys: createShellKeyStore(ask),
        packs: createShellPackStore(ask),
        transport: createShellTransport(page),
      };
    },
  };
}

describe('key store of a shell', () => {
  it.each(keyStoreContract)('$name', async ({ check }) => {
    const { open } = phone();
    await check({ port: open().keys, reopen: async () => open().keys });
  });
});

describe('pack store of a shell', () => {
  it.each(packStoreContract)('$name', async ({ check }) => {
    const { open } = phone();
    await check({ port: open().packs, reopen: async () => open().packs });
  });

  it('passes a pack in chunks of the contract, whatever the parts', async () => {
    const { open, texts } = phone();
    const { packs } = open();
    const content = Uint8Array.from({ length: 2 * MAX_CHUNK_BYTES + 7 }, (_, i) => i % 251);
    const parts = async function* () {
      for (let at = 0; at < content.length; at += 1_000) yield content.subarray(at, at + 1_000);
    };
    await packs.writePack(1, parts());
    const appended = texts.filter((text) => text.includes('"packStore.appendPack"') && text.includes('"request"'));
    expect(appended).toHaveLength(3);
    const reader = await packs.openPack(1);
    expect(await reader?.read(0, content.length)).toEqual(content);
    expect(await reader?.read(MAX_CHUNK_BYTES - 1, 2)).toEqual(content.slice(MAX_CHUNK_BYTES - 1, MAX_CHUNK_BYTES + 1));
    expect(texts.every((text) => text.length <= 2 ** 20)).toBe(true);
  });
});

describe('transport of a shell', () => {
  let server: TransportServer;
  beforeAll(async () => {
    server = await startTransportServer();
  });
  afterAll(() => server.close());

  it.each(transportContract)('$name', ({ check }) => {
    const { open } = phone();
    return check({ transport: open().transport, baseUrl: server.url });
  });
});
