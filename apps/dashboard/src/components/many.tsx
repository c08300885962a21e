import { type ReactNode, useState } from 'react';
import { cache } from '../api/client.ts';
import { hasCode, messageOf } from '../api/errors.ts';
import { useWork } from '../api/hooks.ts';
import { say } from '../text/index.ts';
import { Button } from './controls.tsx';
import { Dialog, useClose } from './form.tsx';
import { Notice, Progress, toast } from './status.tsx';

const AT_ONCE = 4;

/**
 * Carries out an act on each row, a few at a time, and goes on after one that fails. What is gone already is done.
 * @returns the rows that failed, with their errors
 * @throws the signal's reason when it is aborted, once what was begun has been answered
 */
export async function actOnEach<Row>(
  rows: readonly Row[],
  act: (row: Row) => Promise<unknown>,
  signal: AbortSignal,
  onProgress: (done: number) => void,
): Promise<ReadonlyMap<Row, unknown>> {
  const failures = new Map<Row, unknown>();
  const left = rows.values();
  let done = 0;
  async function work(): Promise<void> {
    for (const row of left) {
      if (signal.aborted) return;
      await act(row).catch((error: unknown) => hasCode(error, 'not-found') || failures.set(row, error));
      done += 1;
      onProgress(done);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  signal.throwIfAborted();
  return failures;
}

export interface ActOnManyProps<Row> {
  readonly title: string;
  /** What it does, and to how many: shown before it is confirmed. */
  readonly children: ReactNode;
  readonly action: string;
  readonly rows: readonly Row[];
  readonly nameOf: (row: Row) => string;
  readonly act: (row: Row) => Promise<unknown>;
  /** First parts of the paths of what changes. */
  readonly changes: readonly string[];
  readonly onDone?: () => void;
}

/** Asks once, acts on each row, and tells which failed, so that they can be tried again. */
export function ActOnMany<Row>({ rows, nameOf, act, changes, onDone, ...o }: ActOnManyProps<Row>) {
  const close = useClose();
  const [tried, setTried] = useState(rows);
  const { state, start } = useWork(async (of: readonly Row[], signal, onProgress) => {
    const failures = await actOnEach(of, act, signal, onProgress).finally(() => {
      for (const resource of changes) void cache.invalidateQueries({ queryKey: [resource] });
      onDone?.();
    });
    if (failures.size === 0) {
      close();
      toast({ text: say('many.done', { done: of.length, all: of.length }) });
    }
    return failures;
  });
  const failed = state.name === 'done' ? [...state.result] : [];
  const isAsked = state.name === 'idle';
  const next = isAsked ? rows : failed.map(([row]) => row);
  const begin = () => {
    setTried(next);
    start(next);
  };
  return (
    <Dialog
      title={o.title}
      isQuestion={isAsked}
      isKept={!isAsked}
      cancelLabel={say(isAsked ? 'app.cancel' : state.name === 'running' ? 'app.stop' : 'app.close')}
      actions={
        next.length > 0 && <Button kind="danger" onPress={begin} text={isAsked ? o.action : say('app.try-again')} />
      }
    >
      {isAsked && o.children}
      {state.name === 'running' && <Progress label={o.action} value={state.done / tried.length} />}
      {failed.length > 0 && (
        <Notice
          tone="warning"
          isAlert
          title={say('many.done', { done: tried.length - failed.length, all: tried.length })}
        >
          <ul className="svcd-plain">
            {failed.map(([row, error]) => (
              <li key={nameOf(row)}>
                <strong>{nameOf(row)}</strong>: {messageOf(error).title}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </Dialog>
  );
}
