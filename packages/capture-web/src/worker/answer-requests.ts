import { FaceError } from '@svc/core';
import type { AnswerOf, Operations, WorkerAnswer, WorkerRequest } from './operations.ts';

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
