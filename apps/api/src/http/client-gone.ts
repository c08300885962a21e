import type { Response } from 'express';

/** Aborted when the connection goes before the answer was sent: nobody waits for the work any more. */
export function clientGone(response: Response): AbortSignal {
  const controller = new AbortController();
  if (response.closed) controller.abort();
  else response.once('close', () => response.writableFinished || controller.abort());
  return controller.signal;
}
