import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';

/** A mail as it arrived. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first text part, decoded. */
  readonly text: string;
  /** Everything after `DATA`. */
  readonly source: string;
}

/** A mail server on 127.0.0.1 that keeps what it gets. */
export interface FakeSmtp {
  /** For `SVC_SMTP_URL`. */
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  /** Replies to `RCPT TO` from now on, by address; without one 250. */
  refuse(address: string, reply: `${4 | 5}${number} ${string}`): void;
  /** The newest mail to an address, waited for. @throws Error after some seconds */
  mailTo(address: string, o?: { readonly count?: number }): Promise<ReceivedMail>;
  close(): Promise<void>;
}

const WAIT_MS = 30_000;

function decodeQuotedPrintable(text: string): string {
  const bytes = text.replaceAll(/=\r?\n/g, '').replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => {
    return String.fromCharCode(Number.parseInt(hex, 16));
  });
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function decodeBody(headers: Readonly<Record<string, string>>, body: string): string {
  const encoding = headers['content-transfer-encoding']?.toLowerCase();
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  return encoding === 'quoted-printable' ? decodeQuotedPrintable(body) : Buffer.from(body, 'latin1').toString('utf8');
}

function splitPart(source: string): { headers: Record<string, string>; body: string } {
  const end = source.indexOf('\r\n\r\n');
  const head = source.slice(0, end === -1 ? undefined : end).replaceAll(/\r\n[ \t]+/g, ' ');
  const headers = head.split('\r\n').map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return { headers: Object.fromEntries(headers), body: end === -1 ? '' : source.slice(end + 4) };
}

/** The first part that is text, of a mail of one or several parts. */
function textOf(source: string): string {
  const { headers, body } = splitPart(source);
  const boundary = /boundary="?([^";]+)"?/.exec(headers['content-type'] ?? '')?.[1];
  if (boundary === undefined) return decodeBody(headers, body);
  const [, first = ''] = body.split(`--${boundary}\r\n`);
  return textOf(first.split(`\r\n--${boundary}`, 1)[0] ?? '');
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
export async function startFakeSmtp(): Promise<FakeSmtp> {
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
    let from = '';
    let to: string[] = [];
    const reply = (line: string) => socket.write(`${line}\r\n`);

    function finish(source: string): void {
      const headers = Object.fromEntries(
        Object.entries(splitPart(source).headers).map(([name, value]) => [name, decodeWords(value)]),
      );
      received.push({ from, to, headers, text: textOf(source), source });
      [from, to] = ['', []];
      reply('250 taken');
    }

    function command(line: string): void {
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === 'EHLO') return void reply('250-fake\r\n250-8BITMIME\r\n250 SMTPUTF8');
      if (verb === 'MAIL') from = addressOf(line);
      if (verb === 'RCPT') {
        const refusal = refusals.get(addressOf(line).toLowerCase());
        if (refusal !== undefined) return void reply(refusal);
        to.push(addressOf(line));
      }
      if (verb === 'DATA') {
        data = '';
        return void reply('354 go on');
      }
      if (verb === 'RSET') [from, to] = ['', []];
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
          const source = data;
          data = null;
          finish(source);
        } else data += `${line.startsWith('..') ? line.slice(1) : line}\r\n`;
      }
    });
  }

  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    refuse(address, reply) {
      refusals.set(address.toLowerCase(), reply);
    },
    async mailTo(address, { count = 1 } = {}) {
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
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
