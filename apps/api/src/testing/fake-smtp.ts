import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';

/** A mail as it arrived. */
export interface ReceivedMail {
  readonly to: readonly string[];
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded. */
  readonly text: string;
  /** Null where there is none. */
  readonly html: string | null;
}

/** A mail server on 127.0.0.1 that keeps what it gets. */
export type FakeSmtp = Awaited<ReturnType<typeof startFakeSmtp>>;

const WAIT_MS = 30_000;

function decodeQuotedPrintable(text: string): string {
  const bytes = text.replaceAll(/=\r?\n/g, '').replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => {
    return String.fromCharCode(Number.parseInt(hex, 16));
  });
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** A mail of one part, or of a text and the same in HTML. */
function readMail(source: string, to: readonly string[]): ReceivedMail {
  const { headers, text } = readPart(source);
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1];
  if (boundary === undefined) return { to, headers, text, html: null };
  const [, plain, html] = text.split(`--${boundary}\r\n`).map((part) => part.split(`\r\n--${boundary}`)[0] ?? '');
  return { to, headers, text: readPart(plain ?? '').text, html: readPart(html ?? '').text };
}

function readPart(source: string): Pick<ReceivedMail, 'headers' | 'text'> {
  const end = source.indexOf('\r\n\r\n');
  const lines = source
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim())] as const;
    }),
  );
  const body = source.slice(end + 4);
  const encoding = headers['content-transfer-encoding'];
  const text = encoding === 'quoted-printable' ? decodeQuotedPrintable(body) : body;
  return { headers, text: encoding === 'base64' ? Buffer.from(body, 'base64').toString('utf8') : text };
}

/** Header values of other than ASCII (RFC 2047). */
function decodeWords(value: string): string {
  return value
    .replaceAll(/\?= +=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_all, kind: string, text: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64').toString('utf8')
        : decodeQuotedPrintable(text.replaceAll('_', ' ')),
    );
}

const addressOf = (line: string) => /<([^>]*)>/.exec(line)?.[1] ?? '';

/** Speaks enough SMTP for a client that wants neither TLS nor a password. Ends with the process. */
export async function startFakeSmtp() {
  const received: ReceivedMail[] = [];
  const refusals = new Map<string, string>();
  const sockets = new Set<Socket>();

  function serve(socket: Socket): void {
    sockets.add(socket);
    socket.setEncoding('latin1');
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let pending = '';
    let data: string | null = null;
    let to: string[] = [];
    const reply = (line: string) => socket.write(`${line}\r\n`);

    function command(line: string): void {
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === 'EHLO') return void reply('250-fake\r\n250-8BITMIME\r\n250 SMTPUTF8');
      if (verb === 'RCPT') {
        const refusal = refusals.get(addressOf(line).toLowerCase());
        if (refusal !== undefined) return void reply(refusal);
        to.push(addressOf(line));
      }
      if (verb === 'DATA') {
        data = '';
        return void reply('354 go on');
      }
      if (verb === 'RSET') to = [];
      if (verb === 'QUIT') {
        reply('221 bye');
        return void socket.end();
      }
      reply('250 ok');
    }

    reply('220 fake');
    socket.on('data', (chunk: string) => {
      pending += chunk;
      for (let end = pending.indexOf('\r\n'); end !== -1; end = pending.indexOf('\r\n')) {
        const line = pending.slice(0, end);
        pending = pending.slice(end + 2);
        if (data === null) command(line);
        else if (line === '.') {
          received.push(readMail(data, to));
          [data, to] = [null, []];
          reply('250 taken');
        } else data += `${line.startsWith('..') ? line.slice(1) : line}\r\n`;
      }
    });
  }

  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    /** For `SVC_SMTP_URL`. */
    url: `smtp://127.0.0.1:${port}`,
    received: received as readonly ReceivedMail[],
    /** Replies to `RCPT TO` from now on, by address; without one 250. */
    refuse(address: string, reply: `${4 | 5}${number} ${string}`): void {
      refusals.set(address.toLowerCase(), reply);
    },
    /** The newest mail to an address, waited for. @throws Error after some seconds */
    async mailTo(address: string, { count = 1 } = {}): Promise<ReceivedMail> {
      const until = Date.now() + WAIT_MS;
      for (;;) {
        const found = received.filter(({ to }) => to.includes(address));
        const last = found.at(-1);
        if (last !== undefined && found.length >= count) return last;
        if (Date.now() > until) throw new Error(`no mail number ${count} to that address`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
