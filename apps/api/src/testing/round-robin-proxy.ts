import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Headers of a connection, not of a message (RFC 9110 section 7.6.1). */
const OF_A_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/**
 * A message's headers as they came, repeated ones and all, without those of its connection.
 * @param rawHeaders names and values in turn
 */
export function forwarded(rawHeaders: readonly string[]): string[] {
  const headers: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!OF_A_CONNECTION.has(name.toLowerCase())) headers.push(name, value);
  }
  return headers;
}

/** A plain balancer: each request goes to the next node. */
export interface RoundRobinProxy {
  /** `http://host:port` */
  readonly url: string;
  /** Requests that each node was sent. */
  readonly sent: readonly number[];
  /** Cuts what is still on its way. */
  close(): Promise<void>;
}

/** Starts a proxy that neither retries nor changes anything: what a node does wrong reaches the caller. */
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
    // A body of unknown length goes on in chunks.
    if (request.headers['transfer-encoding'] !== undefined) headers.push('Transfer-Encoding', 'chunked');
    const onward = httpRequest({ agent, hostname, port, method: request.method, path: request.url, headers });
    onward.on('continue', () => response.writeContinue());
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, forwarded(answer.rawHeaders));
      answer.pipe(response);
      answer.on('error', () => response.destroy());
      answer.on('end', () => {
        if (request.complete) return;
        // It was answered before it was read, and what is still to come goes nowhere.
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

  const server = createServer({ requireHostHeader: false }, pass);
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
