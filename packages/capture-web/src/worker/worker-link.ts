import { FaceError } from '@svc/core';
import type { AnswerOf, AskOf, Operations, WorkerAnswer } from './operations.ts';

interface Waiter {
  resolve(answer: unknown): void;
  reject(error: FaceError): void;
  readonly stopWaiting: () => void;
}

export interface AskOptions {
  /** A worker that says nothing for this long hangs, and is ended. */
  readonly timeoutMs: number;
  /** What is moved to the worker and so no longer here. */
  readonly transfer?: Transferable[];
}

/** One worker that answers by `answerRequests`, from its start to its end. */
export class WorkerLink<Ops extends Operations<keyof Ops>> {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiter>();
  readonly #onEnd: () => void;
  #nextId = 1;
  #ended = false;

  /**
   * @param worker just made; it is this link's from here on
   * @param onEnd called once, when the worker is gone, whoever ended it
   */
  constructor(worker: Worker, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#worker = worker;
    this.#worker.onmessage = ({ data }: MessageEvent<WorkerAnswer<Ops>>) => this.#settle(data);
    this.#worker.onerror = (event) => {
      // What it says may name addresses of the page; nobody needs it beyond the fact.
      event.preventDefault();
      this.end();
    };
    this.#worker.onmessageerror = () => this.end();
  }

  get ended(): boolean {
    return this.#ended;
  }

  /**
   * @throws FaceError as the worker threw it; `runtime-failed` when the worker ends or does not answer in time, which
   * ends it
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
        // Answers carry the number of their question, and with it its type.
        resolve: (answer) => resolve(answer as AnswerOf<Ops, Name>),
        reject,
        stopWaiting: () => clearTimeout(timer),
      });
      this.#worker.postMessage({ id, name, ask }, transfer);
    });
  }

  /** Ends the worker with all that its memory holds; what waits is rejected. Idempotent. */
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
    // After a trap nobody knows what the instance's memory holds.
    if (code === 'runtime-failed') this.end();
  }
}

function gone(): FaceError {
  return new FaceError('runtime-failed', 'the engine’s worker ended', { retryable: true });
}
