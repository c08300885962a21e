import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { forwarded } from '../round-robin-proxy.ts';

/** A simple load balancer: polls `/readyz` and sends each request to the next ready node. */
export interface FollowingProxy {
  /** `http://host:port` */
  readonly url: string;
  isReady(node: string): boolean;
  /** Requests sent to another node because a node refused the connection. */
  readonly refused: number;
  close(): Promise<void>;
}

interface Answered {
  readonly status: number;
  readonly headers: string[];
  readonly body: Buffer;
}

const ASK_MS = 100;
const ASK_LIMIT_MS = 5_000;

const isRefused = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';

/** Starts a proxy that keeps connections to nodes, and retries only when no connection could be made. */
export async function startFollowingProxy(nodes: readonly string[]): Promise<FollowingProxy> {
  const agent = new Agent({ keepAlive: true });
  const ready = new Set<string>();
  const stopping = new AbortController();
  let refused = 0;
  let turn = 0;

  async function ask(node: string): Promise<void> {
    const answer = await fetch(`${node}/readyz`, { signal: AbortSignal.timeout(ASK_LIMIT_MS) }).catch(() => null);
    await answer?.arrayBuffer().catch(() => undefined);
    if (answer?.status === 200) ready.add(node);
    else ready.delete(node);
  }

  async function follow(node: string): Promise<void> {
    while (!stopping.signal.aborted) {
      await ask(node);
      await pause(ASK_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  function send(node: string, request: IncomingMessage, body: Buffer): Promise<Answered> {
    const { hostname, port } = new URL(node);
    const headers = forwarded(request.rawHeaders);
    return new Promise((resolve, reject) => {
      const onward = httpRequest({ agent, hostname, port, method: request.method, path: request.url, headers });
      onward.on('error', reject);
      onward.on('response', (answer) => {
        buffer(answer).then(
          (read) => resolve({ status: answer.statusCode ?? 502, headers: forwarded(answer.rawHeaders), body: read }),
          reject,
        );
      });
      onward.end(body);
    });
  }

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const candidates = nodes.filter((node) => ready.has(node));
    for (let tries = candidates.length; tries > 0; tries -= 1) {
      turn += 1;
      try {
        const answer = await send(candidates[turn % candidates.length] ?? '', request, body);
        response.writeHead(answer.status, answer.headers).end(answer.body);
        return;
      } catch (error) {
        if (!isRefused(error)) break;
        refused += 1;
      }
    }
    response.destroy();
  }

  // As in a load balancer, idle connections end at the caller's side first.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const following = nodes.map(follow);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isReady: (node) => ready.has(node),
    get refused() {
      return refused;
    },
    async close() {
      stopping.abort();
      await Promise.all(following);
      agent.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
