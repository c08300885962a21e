import {
  ContractError,
  type Envelope,
  failureOf,
  isBody,
  type Received,
  readMessage,
  type Side,
  writeMessage,
} from './codec.ts';
import type { FailureCode, Hello, PageEvents, PageRequests, ShellRequests } from './generated/messages.ts';

/** A table of requests with their answers. */
type Requests = ShellRequests | PageRequests;
type Request<T, N extends keyof T> = T[N] extends { readonly request: infer Body } ? Body : never;
type Answer<T, N extends keyof T> = T[N] extends { readonly answer: infer Body } ? Body : never;

/** One function for each request that the other side may send. What it throws becomes a failure. */
export type Handlers<T extends Requests> = {
  readonly [N in keyof T]: (body: Request<T, N>) => Promise<Answer<T, N>> | Answer<T, N>;
};

/** Options of a request. */
export interface RequestOptions {
  /** Fails with `timeout` after this time. Without it the request waits until the channel closes. */
  readonly timeoutMs?: number;
}

interface Waiting {
  readonly name: string;
  readonly resolve: (body: object) => void;
  readonly reject: (error: ContractError) => void;
}

/**
 * One side of a session: numbers requests, matches answers, refuses what the contract refuses, and drops what it drops.
 * It knows no order of requests: whoever handles them does.
 */
class Channel<Own extends Requests, Theirs extends Requests> {
  readonly #side: Side;
  readonly #send: (text: string) => void;
  readonly #handlers: Handlers<Theirs>;
  readonly #waiting = new Map<number, Waiting>();
  #session: string | null = null;
  #lastId = 0;
  #highestId = 0;
  #isClosed = false;

  constructor(side: Side, send: (text: string) => void, handlers: Handlers<Theirs>) {
    this.#side = side;
    this.#send = send;
    this.#handlers = handlers;
  }

  /** Null before the first `hello`. */
  get session(): string | null {
    return this.#session;
  }

  /**
   * Sends a request.
   * @throws ContractError with the failure's code; `message-invalid` for a body or an answer of another form, `too-large`, `timeout`,
   *   and the code of {@link close}
   */
  async request<N extends keyof Own & string>(
    name: N,
    body: Request<Own, N>,
    { timeoutMs }: RequestOptions = {},
  ): Promise<Answer<Own, N>> {
    if (this.#session === null || this.#isClosed) throw new ContractError('disposed', 'no session is open');
    if (!isBody(this.#side, 'request', name, body))
      throw new ContractError('message-invalid', `${name}: an invalid body`);
    this.#lastId += 1;
    const id = this.#lastId;
    const text = writeMessage(this.#envelope('request', name, body as object, id));
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      const answer = new Promise<object>((resolve, reject) => {
        this.#waiting.set(id, { name, resolve, reject });
        if (timeoutMs === undefined) return;
        timer = setTimeout(() => reject(new ContractError('timeout', `${name}: no answer in time`)), timeoutMs);
      });
      this.#send(text);
      return (await answer) as Answer<Own, N>;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  /** Fails every request that waits, and takes and sends nothing more. Idempotent. */
  close(code: FailureCode, message: string): void {
    this.#isClosed = true;
    this.#failAll(code, message);
  }

  /** Takes a text of the other side. Never throws, but for what `onEvent` throws. */
  protected take(text: string, onEvent: (name: string, body: object) => void): void {
    if (this.#isClosed) return;
    const from = this.#side === 'page' ? 'shell' : 'page';
    const received = readMessage(text, { from, session: this.#session, highestId: this.#highestId });
    if (received.kind === 'event') this.#takeEvent(received, onEvent);
    else if (received.kind !== 'dropped') this.#takeNumbered(received);
  }

  #takeNumbered(received: Exclude<Received, { readonly kind: 'event' | 'dropped' }>): void {
    const { kind, id, name } = received;
    if (kind === 'request') {
      this.#highestId = id;
      void this.#handle(id, name, received.body);
    } else if (kind === 'refused') {
      if (received.code !== 'version-unsupported') this.#highestId = Math.max(this.#highestId, id);
      this.#fail(id, name, new ContractError(received.code, `${name}: ${received.code}`));
    } else {
      const waiting = this.#waiting.get(id);
      if (waiting === undefined || waiting.name !== name) return;
      if (kind === 'answer') waiting.resolve(received.body);
      else if (kind === 'failure') waiting.reject(new ContractError(received.body.code, received.body.message));
      else waiting.reject(new ContractError('message-invalid', `${name}: an answer of another form`));
    }
  }

  protected begin(session: string): void {
    this.#failAll('renderer-gone', 'the page was loaded anew');
    this.#session = session;
    this.#lastId = 0;
    this.#highestId = 0;
  }

  protected send(name: string, body: object): void {
    if (this.#isClosed) return;
    if (!isBody(this.#side, 'event', name, body))
      throw new ContractError('message-invalid', `${name}: an invalid body`);
    this.#send(writeMessage(this.#envelope('event', name, body)));
  }

  #takeEvent(
    { name, session, body }: { readonly name: string; readonly session: string; readonly body: object },
    onEvent: (name: string, body: object) => void,
  ): void {
    if (name === 'hello') {
      if (session === this.#session) return;
      this.begin(session);
    }
    onEvent(name, body);
  }

  async #handle(id: number, name: string, body: object): Promise<void> {
    const session = this.#session;
    const isOver = () => this.#isClosed || this.#session !== session;
    try {
      const handler = this.#handlers[name as keyof Handlers<Theirs>] as (body: object) => unknown;
      const answer = await handler(body);
      if (isOver()) return;
      if (!isBody(this.#side, 'answer', name, answer)) throw new Error(`${name}: an answer of another form`);
      this.#send(writeMessage(this.#envelope('answer', name, answer as object, id)));
    } catch (error) {
      if (!isOver()) this.#fail(id, name, error);
    }
  }

  #fail(id: number, name: string, error: unknown): void {
    this.#send(writeMessage(this.#envelope('failure', name, failureOf(error), id)));
  }

  #failAll(code: FailureCode, message: string): void {
    for (const { reject } of this.#waiting.values()) reject(new ContractError(code, message));
    this.#waiting.clear();
  }

  #envelope(kind: Envelope['kind'], name: string, body: object, id?: number): Envelope {
    const session = this.#session ?? '';
    return id === undefined ? { v: 1, session, kind, name, body } : { v: 1, session, kind, id, name, body };
  }
}

/** The page's side of a session. */
export class PageChannel extends Channel<PageRequests, ShellRequests> {
  /**
   * @param hello the first event; its session is drawn at each load
   * @param send takes each text to the shell
   */
  constructor(hello: Hello, send: (text: string) => void, handlers: Handlers<ShellRequests>) {
    super('page', send, handlers);
    this.begin(hello.session);
    this.emit('hello', hello);
  }

  /** Takes a text of the shell. Never throws. */
  receive(text: string): void {
    this.take(text, () => undefined);
  }

  /** Sends an event. @throws ContractError `message-invalid`, `too-large` */
  emit<N extends keyof PageEvents & string>(name: N, body: PageEvents[N]): void {
    this.send(name, body);
  }
}

/** What a shell is told of a page's events. */
export type EventHandlers = { readonly [N in keyof PageEvents]: (body: PageEvents[N]) => void };

/** A shell's side of the sessions of a page, which begins another one at each load. */
export class ShellChannel extends Channel<ShellRequests, PageRequests> {
  readonly #onEvent: EventHandlers;

  /** @param onEvent `hello` is called at the beginning of each session, after the former one's requests have failed */
  constructor(send: (text: string) => void, handlers: Handlers<PageRequests>, onEvent: EventHandlers) {
    super('shell', send, handlers);
    this.#onEvent = onEvent;
  }

  /** Takes a text of the page. */
  receive(text: string): void {
    this.take(text, (name, body) => (this.#onEvent[name as keyof PageEvents] as (body: object) => void)(body));
  }
}
