import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { createReceiverPolicy } from './receiver-policy.ts';
import { createSender } from './sender.ts';

/** A self-signed certificate of receiver.example. Its private key is public: for tests only. */
const TEST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBqjCCAVCgAwIBAgIUcmOYDrFBfibHBSlZf0f/uJLcx0IwCgYIKoZIzj0EAwIw
GzEZMBcGA1UEAwwQcmVjZWl2ZXIuZXhhbXBsZTAgFw0yNjExMjExNTEzMDlaGA8y
MTI2MTAyODE1MTMwOVowGzEZMBcGA1UEAwwQcmVjZWl2ZXIuZXhhbXBsZTBZMBMG
ByqGSM49AgEGCCqGSM49AwEHA0IABKN/py1DRHPbqg6CSdNOYg5DBYB1gbgwBcSe
9sBHrJF//GyHOlHAT3edBGRgJK1nbJCTH7YQhkFzRqhUYYKb2mCjcDBuMB0GA1Ud
DgQWBBTW+91/OgpmFzz99lLFhsK/uzOqyTAfBgNVHSMEGDAWgBTW+91/OgpmFzz9
9lLFhsK/uzOqyTAbBgNVHREEFDASghByZWNlaXZlci5leGFtcGxlMA8GA1UdEwEB
/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgJ/41PHrmh1NhtxyOv1ooFNYLIJux
/k2cVeNrhrNALJACIQClqX2UCke6S4BZUe3FEVV3T/A+QZoik8B+e3O0GiMhgQ==
-----END CERTIFICATE-----
`;

const TEST_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgavk0iy05P4qhWXZM
PJof7f9r6ErStud3N0dJPpyYRi6hRANCAASjf6ctQ0Rz26oOgknTTmIOQwWAdYG4
MAXEnvbAR6yRf/xshzpRwE93nQRkYCStZ2yQkx+2EIZBc0aoVGGCm9pg
-----END PRIVATE KEY-----
`;

const open: { close(done: () => void): unknown; closeAllConnections?(): void }[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections?.();
    await closed;
  }
});

function listen<T extends { listen(port: number, host: string, done: () => void): unknown; address(): unknown }>(
  server: T & (typeof open)[number],
): Promise<number> {
  open.push(server);
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

const local = createReceiverPolicy({ allowedRanges: ['127.0.0.0/8'], ports: null, allowHttp: true });
const strict = createReceiverPolicy({ allowedRanges: [], ports: null, allowHttp: true });
const body = Buffer.from('{"type":"webhook.test"}');

/** A sender whose resolver returns these addresses for every name, and the names it was asked for. */
function senderWith(addresses: string[] | (() => string[]), o: { policy?: typeof local; timeoutMs?: number } = {}) {
  const asked: string[] = [];
  const send = createSender({
    policy: o.policy ?? local,
    resolve(name) {
      asked.push(name);
      return Promise.resolve(typeof addresses === 'function' ? addresses() : addresses);
    },
    timeoutMs: o.timeoutMs ?? 5_000,
    certificateAuthorities: TEST_CERTIFICATE,
  });
  return { send: (url: string) => send(url, { 'webhook-id': 'dlv_1' }, body), asked };
}

async function startServer(answer: Parameters<typeof createServer>[1]): Promise<{ server: Server; port: number }> {
  const server = createServer(answer);
  return { server, port: await listen(server) };
}

describe('a name', () => {
  it.each([
    ['loopback', ['127.0.0.1']],
    ['a private address', ['10.0.0.8']],
    ['a metadata service', ['169.254.169.254']],
    ['an IPv6 loopback', ['::1']],
    ['a mapped address', ['::ffff:127.0.0.1']],
    ['a translated address', ['64:ff9b::7f00:1']],
    ['one public and one private address', ['93.184.216.34', '127.0.0.1']],
  ])('is not called when it has %s', async (_name, addresses) => {
    const { send } = senderWith(addresses, { policy: strict });
    expect(await send('https://rebound.example/hook')).toEqual({
      isDelivered: false,
      status: null,
      failure: 'address-not-allowed',
    });
  });

  it('without an address is no receiver', async () => {
    expect(await senderWith([]).send('https://nowhere.example/')).toMatchObject({ failure: 'name-not-found' });
  });

  it('is resolved once a call, and the connection goes where it was seen to point', async () => {
    const hosts: (string | undefined)[] = [];
    const { port } = await startServer((request, response) => {
      hosts.push(request.headers.host);
      response.writeHead(200).end();
    });
    // Changing answers, as from an attacker's name server.
    const answers = [['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1']];
    const { send, asked } = senderWith(() => answers.shift() ?? []);
    const url = `http://receiver.example:${port}/hook`;
    expect(await send(url)).toEqual({ isDelivered: true, status: 200 });
    expect(await send(url)).toMatchObject({ failure: 'address-not-allowed' });
    expect(await send(url)).toEqual({ isDelivered: true, status: 200 });
    expect(asked).toHaveLength(3);
    expect(hosts).toEqual([`receiver.example:${port}`, `receiver.example:${port}`]);
  });

  it('is not looked up where the address is one already, and no name server can lend it one', async () => {
    const { send, asked } = senderWith(['93.184.216.34'], { policy: strict });
    for (const host of ['127.0.0.1', '2130706433', '[::1]', '0x7f.1', '169.254.169.254']) {
      expect(await send(`https://${host}/`)).toMatchObject({ failure: 'url-not-allowed' });
    }
    expect(asked).toEqual([]);
  });
});

describe('a receiver', () => {
  it('gets one POST on a connection of its own, whatever the environment says of proxies', async () => {
    const requests: { method?: string; headers: object; text: string }[] = [];
    const { port } = await startServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => {
        text += chunk;
      });
      request.on('end', () => {
        requests.push({ method: request.method ?? '', headers: request.headers, text });
        response.writeHead(204).end();
      });
    });
    const proxies = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'NODE_USE_ENV_PROXY'];
    try {
      for (const name of proxies) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : 'http://127.0.0.1:9';
      expect(await senderWith(['127.0.0.1']).send(`http://receiver.example:${port}/`)).toMatchObject({ status: 204 });
    } finally {
      for (const name of proxies) delete process.env[name];
    }
    expect(requests).toEqual([
      {
        method: 'POST',
        text: body.toString(),
        headers: expect.objectContaining({ 'content-type': 'application/json', 'webhook-id': 'dlv_1' }),
      },
    ]);
  });

  it('that does not answer in time has failed', async () => {
    const { port } = await startServer(() => {});
    const { send } = senderWith(['127.0.0.1'], { timeoutMs: 200 });
    expect(await send(`http://receiver.example:${port}/`)).toMatchObject({ failure: 'timeout' });
  });

  it.each([301, 307])('that redirects (%i) has failed, and is not followed', async (status) => {
    const asked: unknown[] = [];
    const { port } = await startServer((request, response) => {
      asked.push(request.url);
      response.writeHead(status, { Location: '/elsewhere' }).end();
    });
    const attempt = await senderWith(['127.0.0.1']).send(`http://receiver.example:${port}/`);
    expect([attempt, asked]).toEqual([{ isDelivered: false, status, failure: 'status' }, ['/']]);
  });

  it('that answers without an end is read no further than its status', async () => {
    let sent = 0;
    let cut: () => void = () => {};
    const isCut = new Promise<void>((resolve) => {
      cut = resolve;
    });
    const { port } = await startServer((_request, response) => {
      response.writeHead(200);
      const more = () => {
        while (response.write(Buffer.alloc(65_536))) sent += 65_536;
      };
      response.on('drain', more).on('close', () => cut());
      more();
    });
    expect(await senderWith(['127.0.0.1']).send(`http://receiver.example:${port}/`)).toMatchObject({ status: 200 });
    await isCut;
    expect(sent).toBeLessThan(50 * 2 ** 20);
  });

  it('that answers and then sends on, drop by drop, holds its place until its connection is gone', async () => {
    let finish: () => void = () => {};
    const isAnswering = new Promise<void>((resolve) => {
      void startServer((_request, response) => {
        response.writeHead(200).write('drop');
        finish = () => response.end();
        resolve();
      }).then(({ port }) => {
        void senderWith(['127.0.0.1'])
          .send(`http://receiver.example:${port}/`)
          .then((attempt) => attempts.push(attempt));
      });
    });
    const attempts: unknown[] = [];
    await isAnswering;
    await sleep(200);
    expect(attempts).toEqual([]);
    finish();
    await expect.poll(() => attempts).toEqual([{ isDelivered: true, status: 200 }]);
  });

  it('that never ends its answer has been delivered to, and is cut when its time is over', async () => {
    const { port } = await startServer((_request, response) => void response.writeHead(202).write('drop'));
    const { send } = senderWith(['127.0.0.1'], { timeoutMs: 3_000 });
    expect(await send(`http://receiver.example:${port}/`)).toEqual({ isDelivered: true, status: 202 });
  });

  it.each([
    ['hangs up', ''],
    ['speaks another protocol', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['answers headers without an end', `HTTP/1.1 200 OK\r\n${'X-Filler: 0123456789abcdef\r\n'.repeat(1_000)}`],
  ])('that %s has failed', async (_name, answer) => {
    const port = await listen(
      createTcpServer((socket) =>
        socket.on('error', () => {}).on('data', () => socket.end(answer, () => socket.destroy())),
      ),
    );
    expect(await senderWith(['127.0.0.1']).send(`http://receiver.example:${port}/`)).toMatchObject({
      isDelivered: false,
      failure: 'connection',
    });
  });

  it('without a listening receiver has failed', async () => {
    const { server, port } = await startServer(() => {});
    await new Promise<void>((resolve) => server.close(() => resolve()));
    open.pop();
    expect(await senderWith(['127.0.0.1']).send(`http://receiver.example:${port}/`)).toMatchObject({
      failure: 'connection',
    });
  });

  it('has to speak TLS 1.2 or 1.3, and is met with the newest that it knows', async () => {
    const spoken: (string | null)[] = [];
    const serve = (versions: object) => {
      const tls = { key: TEST_KEY, cert: TEST_CERTIFICATE, ciphers: 'DEFAULT@SECLEVEL=0', ...versions };
      const server = createTlsServer(tls, (_request, response) => void response.writeHead(200).end());
      server.on('secureConnection', (socket) => spoken.push(socket.getProtocol()));
      return listen(server);
    };
    const { send } = senderWith(['127.0.0.1']);
    const old = await serve({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1' });
    expect(await send(`https://receiver.example:${old}/`)).toMatchObject({ isDelivered: false });
    for (const versions of [{ maxVersion: 'TLSv1.2' }, {}]) {
      expect(await send(`https://receiver.example:${await serve(versions)}/`)).toMatchObject({ status: 200 });
    }
    expect(spoken).toEqual(['TLSv1.2', 'TLSv1.3']);
  });

  it('has to have a certificate in its own name', async () => {
    const tls = { key: TEST_KEY, cert: TEST_CERTIFICATE };
    const port = await listen(createTlsServer(tls, (_request, response) => void response.writeHead(200).end()));
    const { send } = senderWith(['127.0.0.1']);
    expect(await send(`https://receiver.example:${port}/`)).toEqual({ isDelivered: true, status: 200 });
    expect(await send(`https://another.example:${port}/`)).toMatchObject({ failure: 'tls' });
    const distrusting = createSender({ policy: local, resolve: () => Promise.resolve(['127.0.0.1']) });
    expect(await distrusting(`https://receiver.example:${port}/`, {}, body)).toMatchObject({ failure: 'tls' });
    onTestFinished(() => void delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    expect(await distrusting(`https://receiver.example:${port}/`, {}, body)).toMatchObject({ failure: 'tls' });
  });
});
