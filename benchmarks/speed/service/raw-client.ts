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
class Connection {
  readonly #url: URL;
  #socket: Socket | null = null;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { resolve: (answer: RawAnswer) => void; reject: (error: Error) => void } | null = null;

  constructor(url: URL) {
    this.#url = url;
  }

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

/** A client with as many connections as there are requests at one time. */
export class RawClient {
  readonly #url: URL;
  readonly #all: Connection[] = [];
  readonly #free: Connection[] = [];

  /** @param url `http://host:port` */
  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** Sends a whole request. @throws Error if the connection ends before the answer */
  async send(...parts: readonly (Buffer | string)[]): Promise<RawAnswer> {
    let connection = this.#free.pop();
    if (connection === undefined) {
      connection = new Connection(this.#url);
      this.#all.push(connection);
    }
    try {
      return await connection.send(...parts);
    } finally {
      this.#free.push(connection);
    }
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }
}
