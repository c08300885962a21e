import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The server that the contract of transports asks for, on a free port of the loopback interface. */
export interface TransportServer {
  readonly url: string;
  close(): Promise<void>;
}

export async function startTransportServer(): Promise<TransportServer> {
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
