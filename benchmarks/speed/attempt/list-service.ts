import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RegionSettings } from '@svc/device-sdk';
import { FakeService, token } from '@svc/device-sdk/testing';
import type { FaceEngine } from '@svc/face-engine';
import { DEVICE_KEY_HEADER, NONCE_HEADER, SYNC_MEDIA_TYPE, SYNC_PATH } from '@svc/protocol';

/** A list for devices to sync, on the loopback: signed and sealed as by the service, but without its database. */
export interface ListService {
  readonly url: string;
  readonly deviceToken: string;
  readonly region: RegionSettings;
  enrol(personId: string, template: Float32Array): void;
  close(): Promise<void>;
}

export async function startListService(engine: FaceEngine): Promise<ListService> {
  const service = new FakeService({ wallMs: () => Date.now() }, engine);

  async function answer({ url = '/', headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    if (pathname !== SYNC_PATH) return void response.writeHead(404).end();
    const header = (name: string) => String(headers[name.toLowerCase()] ?? '');
    const body = await service.respond(
      Number(searchParams.get('since')),
      header(DEVICE_KEY_HEADER),
      header(NONCE_HEADER),
    );
    response.writeHead(200, { 'content-type': SYNC_MEDIA_TYPE, 'content-length': body.length }).end(body);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    deviceToken: token(1),
    region: { ...service.region, baseUrl: url },
    enrol: (personId, template) => service.enrol(personId, template),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
