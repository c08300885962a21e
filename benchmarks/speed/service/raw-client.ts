import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly body: Buffer;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LENGTH = /\r\ncontent-length: *([0-9]+)/i;

/**
 * One keep-alive HTTP/1.1 connection, one request at a time, with request bytes from the caller: so cheap that it
 * measures the server. Reopens a connection that the server closed while idle.
 */
export class RawClient {
  readonly #url: URL;
  #socket: Socket | null = null;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { resolve: (answer: RawAnswer) => void; reject: (error: Error) => void } | null = null;

  /** @param url `http://host:port` */
  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** Sends a whole request. @throws Error if the connection ends before the answer */
  send(...parts: readonly (Buffer | string)[]): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket ??= this.#connect();
      this.#socket.cork();
      for (const part of parts) this.#socket.write(part);
      this.#socket.uncork();
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #connect(): Socket {
    const socket = connect({ host: this.#url.hostname, port: Number(this.#url.port), noDelay: true });
    const lose = (error: Error) => {
      if (this.#socket === socket) this.#socket = null;
      this.#received = Buffer.alloc(0);
      const waiting = this.#waiting;
      this.#waiting = null;
      waiting?.reject(error);
    };
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', lose);
    socket.on('close', () => lose(new Error('the connection was closed')));
    return socket;
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headLength = this.#received.indexOf(HEAD_END) + HEAD_END.length;
    if (headLength < HEAD_END.length) return;
    const head = this.#received.toString('latin1', 0, headLength);
    const end = headLength + Number(LENGTH.exec(head)?.[1] ?? 0);
    if (this.#received.length < end) return;
    const body = this.#received.subarray(headLength, end);
    this.#received = this.#received.subarray(end);
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve({ status: Number(head.slice(9, 12)), body });
  }
}

/** `count` clients share `total` pieces of work. */
export async function inTurns(total: number, count: number, work: (turn: number, client: number) => Promise<void>) {
  let next = 0;
  const client = async (index: number) => {
    while (next < total) {
      next += 1;
      await work(next - 1, index);
    }
  };
  await Promise.all(Array.from({ length: count }, (_each, index) => client(index)));
}

/** The element at an index modulo the length. @throws Error for an empty list */
export const at = <T>(items: readonly T[], index: number): T => {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('nothing to choose from');
  return item;
};
