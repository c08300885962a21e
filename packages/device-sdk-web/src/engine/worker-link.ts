import { FaceError } from '@svc/core';
import type { OperationName, WorkerAnswer, WorkerOperations, WorkerRequest } from './messages.ts';

interface Waiter {
  resolve(answer: never): void;
  reject(error: FaceError): void;
  readonly stopWaiting: () => void;
}

/** One worker, from its start to its end. */
export class WorkerLink {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiter>();
  readonly #onEnd: () => void;
  #nextId = 1;
  #ended = false;

  /** @param onEnd called once, when the worker is gone, whoever ended it */
  constructor(url: URL, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#worker = new Worker(url, { name: 'svc-face-engine' });
    this.#worker.onmessage = ({ data }: MessageEvent<WorkerAnswer>) => this.#settle(data);
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

  /** @throws FaceError as the worker threw it; `runtime-failed` when the worker ends or does not answer in time, which ends it */
  ask<Name extends OperationName>(
    name: Name,
    ask: WorkerOperations[Name]['ask'],
    { timeoutMs, transfer = [] }: { readonly timeoutMs: number; readonly transfer?: Transferable[] },
  ): Promise<WorkerOperations[Name]['answer']> {
    if (this.#ended) return Promise.reject(gone());
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.end(), timeoutMs);
      this.#waiting.set(id, { resolve, reject, stopWaiting: () => clearTimeout(timer) });
      const request = { id, name, ask } as WorkerRequest;
      this.#worker.postMessage(request, transfer);
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

  #settle(data: WorkerAnswer): void {
    const waiter = this.#waiting.get(data.id);
    if (waiter === undefined) return;
    this.#waiting.delete(data.id);
    waiter.stopWaiting();
    if ('answer' in data) {
      waiter.resolve(data.answer as never);
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
