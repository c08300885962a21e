import type { FaceErrorCode } from '@svc/core';
import { FaceError } from '@svc/core';

/** Operations of a worker by name, with their arguments and results. */
export type Operations<Names extends PropertyKey = string> = {
  readonly [Name in Names]: { readonly ask: unknown; readonly answer: unknown };
};

/** Request of an operation. */
export type AskOf<Ops extends Operations<keyof Ops>, Name extends keyof Ops> = Ops[Name]['ask'];
/** Answer of an operation. */
export type AnswerOf<Ops extends Operations<keyof Ops>, Name extends keyof Ops = keyof Ops> = Ops[Name]['answer'];

/** Page to worker. */
export type WorkerRequest<Ops extends Operations<keyof Ops>> = {
  readonly [Name in keyof Ops]: { readonly id: number; readonly name: Name; readonly ask: Ops[Name]['ask'] };
}[keyof Ops];

/** Worker to page. */
export type WorkerAnswer<Ops extends Operations<keyof Ops>> =
  | { readonly id: number; readonly answer: AnswerOf<Ops> }
  | { readonly id: number; readonly error: { readonly code: FaceErrorCode; readonly message: string } };

interface Waiter {
  resolve(answer: unknown): void;
  reject(error: FaceError): void;
  readonly timeoutMs: number;
}

/** Options of {@link WorkerLink.ask}. */
export interface AskOptions {
  /**
   * A worker that has not answered for this long counts as hung and is terminated. The time begins when the requests
   * before this one are answered: they may wait for the models to be loaded.
   */
  readonly timeoutMs: number;
  /** Objects to transfer to the worker. */
  readonly transfer?: Transferable[];
}

/** The page's side of one worker that runs `answerRequests`, from start to termination. */
export class WorkerLink<Ops extends Operations<keyof Ops>> {
  readonly #worker: Worker;
  /** In the order of asking. */
  readonly #waiting = new Map<number, Waiter>();
  /** Of the first that waits. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #onEnd: () => void;
  #nextId = 1;
  #ended = false;

  /**
   * @param worker newly created; owned by this link
   * @param onEnd called once when the worker has ended, for any reason
   */
  constructor(worker: Worker, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#worker = worker;
    this.#worker.onmessage = ({ data }: MessageEvent<WorkerAnswer<Ops>>) => this.#settle(data);
    this.#worker.onerror = (event) => {
      // The event may name addresses of the page, so it is not reported.
      event.preventDefault();
      this.end();
    };
    this.#worker.onmessageerror = () => this.end();
  }

  get ended(): boolean {
    return this.#ended;
  }

  /**
   * Sends a request and returns the answer.
   * @throws FaceError as thrown by the worker; `runtime-failed` if the worker ends or does not answer in time, which
   *   terminates it
   */
  ask<Name extends keyof Ops>(
    name: Name,
    ask: AskOf<Ops, Name>,
    { timeoutMs, transfer = [] }: AskOptions,
  ): Promise<AnswerOf<Ops, Name>> {
    if (this.#ended) return Promise.reject(gone());
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, {
        // An answer carries its request's number and has that request's type.
        resolve: (answer) => resolve(answer as AnswerOf<Ops, Name>),
        reject,
        timeoutMs,
      });
      if (this.#waiting.size === 1) this.#waitForFirst();
      this.#worker.postMessage({ id, name, ask }, transfer);
    });
  }

  /** Terminates the worker and frees its memory; pending requests are rejected. Idempotent. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#worker.terminate();
    clearTimeout(this.#timer);
    for (const { reject } of this.#waiting.values()) reject(gone());
    this.#waiting.clear();
    this.#onEnd();
  }

  #waitForFirst(): void {
    clearTimeout(this.#timer);
    const [first] = this.#waiting.values();
    if (first !== undefined) this.#timer = setTimeout(() => this.end(), first.timeoutMs);
  }

  #settle(data: WorkerAnswer<Ops>): void {
    const waiter = this.#waiting.get(data.id);
    if (waiter === undefined) return;
    const [first] = this.#waiting.keys();
    this.#waiting.delete(data.id);
    if (first === data.id) this.#waitForFirst();
    if ('answer' in data) {
      waiter.resolve(data.answer);
      return;
    }
    const { code, message } = data.error;
    waiter.reject(new FaceError(code, message));
    // After a trap the contents of the instance's memory are undefined.
    if (code === 'runtime-failed') this.end();
  }
}

function gone(): FaceError {
  return new FaceError('runtime-failed', 'the engine’s worker ended', { retryable: true });
}

/** Types of a worker's scope without its global names. */
interface WorkerScope<Ops extends Operations<keyof Ops>> {
  onmessage: ((event: { readonly data: WorkerRequest<Ops> }) => void) | null;
  postMessage(answer: WorkerAnswer<Ops>, transfer: readonly Transferable[]): void;
}

/**
 * The worker's side of a `WorkerLink`: answers requests, several at a time.
 * @param answer errors other than FaceError become `runtime-failed`; messages and codes go to the page, causes do not
 * @param transferred objects to transfer to the page; default none
 */
export function answerRequests<Ops extends Operations<keyof Ops>>(
  answer: (request: WorkerRequest<Ops>) => Promise<AnswerOf<Ops>>,
  transferred: (answer: AnswerOf<Ops>) => readonly Transferable[] = () => [],
): void {
  const scope = globalThis as unknown as WorkerScope<Ops>;
  async function settle(request: WorkerRequest<Ops>): Promise<void> {
    const { id } = request;
    try {
      const result = await answer(request);
      scope.postMessage({ id, answer: result }, transferred(result));
    } catch (error) {
      const { code, message } = FaceError.is(error) ? error : new FaceError('runtime-failed', 'the engine failed');
      scope.postMessage({ id, error: { code, message } }, []);
    }
  }
  scope.onmessage = ({ data }) => void settle(data);
}
