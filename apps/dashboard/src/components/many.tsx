import { type ReactNode, useState } from 'react';
import { cache } from '../api/client.ts';
import { hasCode, messageOf } from '../api/errors.ts';
import { useWork } from '../api/hooks.ts';
import { say } from '../text/index.ts';
import { Button } from './controls.tsx';
import { Dialog, useClose } from './form.tsx';
import { Notice, Progress, toast } from './status.tsx';

const AT_ONCE = 4;

/** On one row, or on up to `rowsAtOnce`. */
export type Act<Row> = (first: Row, ...others: Row[]) => Promise<unknown>;

/**
 * Carries out an act on each row, a few calls at a time, and goes on after one that fails. A row alone
 * that is gone already is done.
 * @returns the rows that failed, with their errors
 * @throws the signal's reason when it is aborted, once what was begun has been answered
 */
export async function actOnEach<Row>(
  rows: readonly Row[],
  act: Act<Row>,
  signal: AbortSignal,
  onProgress: (done: number) => void,
  rowsAtOnce = 1,
): Promise<ReadonlyMap<Row, unknown>> {
  const failures = new Map<Row, unknown>();
  const left = [...rows];
  let done = 0;
  async function work(): Promise<void> {
    for (;;) {
      const [first, ...others] = left.splice(0, rowsAtOnce);
      if (first === undefined || signal.aborted) return;
      await act(first, ...others).catch((error: unknown) => {
        const isDone = rowsAtOnce === 1 && hasCode(error, 'not-found');
        if (!isDone) for (const row of [first, ...others]) failures.set(row, error);
      });
      done += 1 + others.length;
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
  readonly act: Act<Row>;
  /** Of a call; default 1. */
  readonly rowsAtOnce?: number;
  /** First parts of the paths of what changes. */
  readonly changes: readonly string[];
  readonly onDone?: () => void;
}

/** Asks once, acts on each row, and tells which failed, so that they can be tried again. */
export function ActOnMany<Row>({ rows, nameOf, act, changes, onDone, ...o }: ActOnManyProps<Row>) {
  const close = useClose();
  const [tried, setTried] = useState(rows);
  const { state, start } = useWork(async (of: readonly Row[], signal, onProgress) => {
    const failures = await actOnEach(of, act, signal, onProgress, o.rowsAtOnce).finally(() => {
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
