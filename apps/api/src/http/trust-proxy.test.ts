import express from 'express';
import { afterEach, expect, it } from 'vitest';
import { readConfig } from '../config/config.ts';
import { systemRandom } from '../crypto/random.ts';
import { createAddressBucket } from './client-address.ts';
import { type HttpServer, startHttpServer } from './server.ts';

let server: HttpServer | null = null;
afterEach(async () => {
  await server?.close(0);
});

/** Which counter a request falls to that claims to come from `forwardedFor`. */
async function counterOf(trustProxy: string, forwardedFor: string): Promise<string> {
  const bucketOf = createAddressBucket({ bytes: (length) => new Uint8Array(length) });
  const app = express();
  app.set('trust proxy', readConfig({ SVC_TRUST_PROXY: trustProxy }).traffic.trustProxy);
  app.get('/', (request, response) => {
    response.send(bucketOf(request));
  });
  server = await startHttpServer(app, { host: '127.0.0.1', port: 0, random: systemRandom });
  const response = await fetch(server.url, { headers: { 'X-Forwarded-For': forwardedFor } });
  const counter = await response.text();
  await server.close(0);
  return counter;
}

it('a caller chooses its own address only where a proxy is believed', async () => {
  const own = await counterOf('0', '192.0.2.1');
  expect(await counterOf('0', '192.0.2.2')).toBe(own);
  const believed = await counterOf('loopback', '192.0.2.1');
  expect(believed).not.toBe(own);
  expect(await counterOf('1', '192.0.2.1')).toBe(believed);
  // What the one proxy was told by its own caller is not believed.
  expect(await counterOf('1', '198.51.100.9, 192.0.2.1')).toBe(believed);
  expect(await counterOf('10.0.0.0/8', '192.0.2.1')).toBe(own);
});
