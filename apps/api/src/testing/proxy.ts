import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { listenOnLoopback } from './loopback.ts';

/** Connection headers, which are not forwarded (RFC 9110 section 7.6.1). */
const OF_A_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/**
 * A message's headers unchanged, including repeated ones, except connection headers.
 * @param rawHeaders alternating names and values
 */
function forwarded(rawHeaders: readonly string[]): string[] {
  const headers: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!OF_A_CONNECTION.has(name.toLowerCase())) headers.push(name, value);
  }
  return headers;
}

/** A simple load balancer. */
export interface Proxy {
  /** `http://host:port` */
  readonly url: string;
  /** Closes all connections at once. */
  close(): Promise<void>;
}

/**
 * Starts a proxy without retries and changes, so that callers see every fault of a node: each request goes to the next
 * of the nodes that are ready.
 */
export async function startProxy(nodes: readonly string[], isReady: (node: string) => boolean): Promise<Proxy> {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;

  function pass(request: IncomingMessage, response: ServerResponse): void {
    const candidates = nodes.filter(isReady);
    turn += 1;
    const node = candidates[turn % candidates.length];
    if (node === undefined) {
      response.destroy();
      return;
    }
    const { hostname, port } = new URL(node);
    const headers = forwarded(request.rawHeaders);
    // A body of unknown length is forwarded in chunks.
    if (request.headers['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked');
    const onward = httpRequest({ agent, hostname, port, method: request.method, path: request.url, headers });
    onward.on('continue', () => response.writeContinue());
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, forwarded(answer.rawHeaders));
      answer.pipe(response);
      answer.on('error', () => response.destroy());
      answer.on('end', () => {
        if (request.complete) return;
        // Answered before the body was read: the rest is discarded.
        request.unpipe(onward);
        request.resume();
        onward.destroy();
      });
    });
    onward.on('error', () => {
      if (!response.headersSent) response.destroy();
    });
    response.on('close', () => {
      if (!response.writableFinished) onward.destroy();
    });
    request.on('error', () => onward.destroy());
    onward.flushHeaders();
    request.pipe(onward);
  }

  // Leaves it to the caller to end an idle connection: it could be about to use one that ends here.
  const server = createServer({ requireHostHeader: false, keepAliveTimeout: 0 }, pass);
  server.on('checkContinue', pass);
  server.on('checkExpectation', pass);
  const { url, close } = await listenOnLoopback(server);
  return {
    url,
    close() {
      agent.destroy();
      return close();
    },
  };
}

export interface FollowingProxy extends Proxy {
  isReady(node: string): boolean;
}

const ASK_MS = 100;
const ASK_LIMIT_MS = 5_000;

/** A proxy to the nodes whose `/readyz` says so. */
export async function startFollowingProxy(nodes: readonly string[]): Promise<FollowingProxy> {
  const ready = new Set<string>();
  const stopping = new AbortController();
  async function follow(node: string): Promise<void> {
    while (!stopping.signal.aborted) {
      const answer = await fetch(`${node}/readyz`, { signal: AbortSignal.timeout(ASK_LIMIT_MS) }).catch(() => null);
      await answer?.arrayBuffer().catch(() => undefined);
      if (answer?.status === 200) ready.add(node);
      else ready.delete(node);
      await pause(ASK_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }
  const following = nodes.map(follow);
  const isReady = (node: string) => ready.has(node);
  const proxy = await startProxy(nodes, isReady);
  return {
    ...proxy,
    isReady,
    async close() {
      stopping.abort();
      await Promise.all(following);
      await proxy.close();
    },
  };
}
