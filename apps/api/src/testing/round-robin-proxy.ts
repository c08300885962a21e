import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Connection headers, which are not forwarded (RFC 9110 section 7.6.1). */
const OF_A_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/**
 * A message's headers unchanged, including repeated ones, except connection headers.
 * @param rawHeaders alternating names and values
 */
export function forwarded(rawHeaders: readonly string[]): string[] {
  const headers: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!OF_A_CONNECTION.has(name.toLowerCase())) headers.push(name, value);
  }
  return headers;
}

/** A simple load balancer: each request goes to the next node. */
export interface RoundRobinProxy {
  /** `http://host:port` */
  readonly url: string;
  /** Number of requests sent to each node. */
  readonly sent: readonly number[];
  /** Closes all connections at once. */
  close(): Promise<void>;
}

/** Starts a proxy without retries and changes, so that callers see every fault of a node. */
export async function startRoundRobinProxy(nodes: readonly string[]): Promise<RoundRobinProxy> {
  const agent = new Agent({ keepAlive: true });
  const sent = nodes.map(() => 0);
  let turn = 0;

  function pass(request: IncomingMessage, response: ServerResponse): void {
    const index = turn % nodes.length;
    turn += 1;
    sent[index] = (sent[index] ?? 0) + 1;
    const { hostname, port } = new URL(nodes[index] ?? '');
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    close: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
