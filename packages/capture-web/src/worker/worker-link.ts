import { FaceError } from '@svc/core';
import type { AnswerOf, AskOf, Operations, WorkerAnswer } from './operations.ts';

interface Waiter {
  resolve(answer: unknown): void;
  reject(error: FaceError): void;
  readonly stopWaiting: () => void;
}

/** Options of {@link WorkerLink.ask}. */
export interface AskOptions {
  /** A worker that has not answered for this long counts as hung and is terminated. */
  readonly timeoutMs: number;
  /** Objects to transfer to the worker. */
  readonly transfer?: Transferable[];
}

/** The page's side of one worker that runs `answerRequests`, from start to termination. */
export class WorkerLink<Ops extends Operations<keyof Ops>> {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiter>();
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
      const timer = setTimeout(() => this.end(), timeoutMs);
      this.#waiting.set(id, {
        // An answer carries its request's number and has that request's type.
        resolve: (answer) => resolve(answer as AnswerOf<Ops, Name>),
        reject,
        stopWaiting: () => clearTimeout(timer),
      });
      this.#worker.postMessage({ id, name, ask }, transfer);
    });
  }

  /** Terminates the worker and frees its memory; pending requests are rejected. Idempotent. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#worker.terminate();
    for (const { reject, stopWaiting } of this.#waiting.values()) {
      stopWaiting();
      reject(gone());
    }
    this.#waiting.clear();
    this.#onEnd();
  }

  #settle(data: WorkerAnswer<Ops>): void {
    const waiter = this.#waiting.get(data.id);
    if (waiter === undefined) return;
    this.#waiting.delete(data.id);
    waiter.stopWaiting();
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
