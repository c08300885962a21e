import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, it, vi } from 'vitest';
import { liveHandlers } from './routes.ts';

it('does not watch for a caller who left before the stream began', async () => {
  const stop = vi.fn();
  const recheck = vi.fn(() => Promise.resolve());
  const handlers = liveHandlers({ live: { watch: () => stop, close: () => Promise.resolve() } });
  const app = express();
  let handled: () => void = () => undefined;
  const isHandled = new Promise<void>((resolve) => {
    handled = resolve;
  });
  app.get('/', async (request, response) => {
    // As while a slow database looks the credential up.
    await once(response, 'close');
    handlers.streamChanges({ caller: { accountId: 'acc_1' }, request, response, recheck } as never);
    handled();
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const gone = new AbortController();
    const arrived = once(server, 'request') as Promise<[IncomingMessage]>;
    const asked = fetch(`http://127.0.0.1:${port}/`, { signal: gone.signal });
    await arrived;
    gone.abort();
    await expect(asked).rejects.toThrow();
    await isHandled;
    expect(stop).toHaveBeenCalled();
  } finally {
    server.close();
  }
});
