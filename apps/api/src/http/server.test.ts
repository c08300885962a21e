import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Request, Response } from 'express';
import express from 'express';
import { afterEach, expect, it, vi } from 'vitest';
import { systemRandom } from '../platform/ports.ts';
import { type HttpServer, type HttpServerOptions, startHttpServer } from './server.ts';

let server: HttpServer;
let socket: Socket;

afterEach(async () => {
  socket.destroy();
  await server.close(0);
});

async function serve(
  handler: (request: Request, response: Response) => void,
  options: Partial<HttpServerOptions> = {},
): Promise<void> {
  const app = express();
  app.use(handler);
  server = await startHttpServer(app, { host: '127.0.0.1', port: 0, random: systemRandom, ...options });
  socket = connect(Number(new URL(server.url).port), '127.0.0.1');
}

async function received(): Promise<string> {
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return chunk.toString();
}

it('cuts an answer that has begun when nonsense follows the request, and adds nothing to it', async () => {
  await serve((_request, response) => {
    response.set('Content-Length', '100').write('part');
  });
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  let answer = await received();
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.write('nonsense\r\n\r\n');
  await once(socket, 'close');
  expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
  expect(answer).toMatch(/part$/);
});

it('closes the connection of a client that stops reading', async () => {
  let cut: () => void = () => {};
  const isCut = new Promise<void>((resolve) => {
    cut = resolve;
  });
  const send = (_request: Request, response: Response) => {
    response.on('close', cut).send(Buffer.alloc(64 * 2 ** 20));
  };
  await serve(send, { stalledMs: 200 });
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await isCut;
});

it('closes the connections beyond as many as it may have, tells of them, and takes others once one has ended', async () => {
  const refused = vi.fn();
  const answer = (_request: Request, response: Response) => {
    response.send('done');
  };
  await serve(answer, { connections: 1, onRefused: refused });
  await once(socket, 'connect');
  const { port } = new URL(server.url);
  const second = connect(Number(port), '127.0.0.1');
  await once(second, 'close');
  expect(refused).toHaveBeenCalledOnce();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  expect(await received()).toMatch(/^HTTP\/1\.1 200 /);
  await once(socket, 'close');
  await vi.waitFor(async () => expect((await fetch(server.url)).status).toBe(200), { timeout: 30_000 });
});

it('does not wait for a connection that was opened and never used', async () => {
  await serve((_request, response) => {
    response.send('done');
  });
  await once(socket, 'connect');
  const gone = once(socket, 'close');
  await server.close(30_000);
  expect((await gone)[0]).toBe(false);
});

it.each([
  ['a plain request', ''],
  ['one that asked before it sent its body', 'Expect: 100-continue\r\n'],
])('does not wait in vain for the connection of %s', async (_name, header) => {
  await serve((request, response) => {
    response.writeContinue();
    request.resume().on('end', () => response.send('done'));
  });
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n${header}\r\n`);
  await received();
  const closed = server.close(30_000);
  socket.write('{}');
  expect(await received()).toMatch(/^HTTP\/1\.1 200 /);
  const startedAt = performance.now();
  await closed;
  expect(performance.now() - startedAt).toBeLessThan(20_000);
});

it('tells every connection that its answer is the last while it drains, and goes on answering', async () => {
  let slow: Response | null = null;
  await serve((request, response) => {
    if (request.path === '/slow') slow = response;
    else response.send('done');
  });
  socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
  const held = await vi.waitUntil(() => slow, 30_000);
  expect((await fetch(server.url)).headers.get('connection')).toBe('keep-alive');
  server.drain();
  held.send('late');
  expect(await received()).toMatch(/\r\nConnection: close\r\n.*late$/is);
  expect((await fetch(server.url)).headers.get('connection')).toBe('close');
});
