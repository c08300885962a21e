import { END_UNDO_MS, type ListImpact, type ListResource } from '@svc/protocol';
import { useNavigate } from '@tanstack/react-router';
import { useCan, useRead } from '../../api/hooks.ts';
import { Section } from '../../components/blocks.tsx';
import { Button } from '../../components/controls.tsx';
import { ConfirmAct, useDialog } from '../../components/form.tsx';
import { Unread } from '../../components/status.tsx';
import { say } from '../../text/index.ts';
import { createZonedFormat } from '../../text/places.ts';
import { closeLines, deleteLines, endLines, type Line, Lines, undoEndLines } from './consequences.tsx';

/** What can be done to a list for good, and what each says beforehand of what it does. */
const acts = [
  { key: 'close', operation: 'closeEnrollment', lines: closeLines, told: 'errors.enrolment-closed' },
  { key: 'end', operation: 'endList', lines: endLines, told: 'errors.list-ended' },
  { key: 'undo-end', operation: 'undoEndList', lines: undoEndLines, told: 'lists.end-undone' },
  { key: 'delete', operation: 'deleteList', lines: deleteLines, told: 'lists.deleted-now' },
] as const;

export interface ListLifeProps {
  readonly list: ListResource;
  /** Of the event's place. */
  readonly timeZone?: string | null;
  /** Null: the page stays once the list is gone. Default: to the lists. */
  readonly onDeleted?: null;
}

/** Closing, ending and deleting a list; each says beforehand what it does, in numbers and dates. */
export function ListLife({ list, timeZone = null, onDeleted }: ListLifeProps) {
  const can = useCan();
  const navigate = useNavigate();
  const { dialog, open } = useDialog();
  const { listId, name, state, endedAt } = list;
  const ask = ({ key, operation, lines, told }: (typeof acts)[number]) =>
    open(
      <ConfirmAct
        operation={operation}
        input={{ params: { listId } }}
        alsoChanges={['events']}
        title={say(`lists.${key}-title`, { name })}
        action={say(`lists.${key}`)}
        {...(key === 'delete' || key === 'close' ? { name } : {})}
        told={say(told, { name })}
        onDone={() => key === 'delete' && onDeleted !== null && navigate({ to: '/lists' as string })}
      >
        <Effects listId={listId} timeZone={timeZone} of={lines} />
      </ConfirmAct>,
    );
  const isPossible = {
    ...{ close: state === 'open', end: state !== 'ended', delete: true },
    // By far, as this browser's clock may be wrong: the service refuses what is too late.
    'undo-end': endedAt !== null && Date.now() < Date.parse(endedAt) + 6 * END_UNDO_MS,
  };
  const possible = acts.filter(({ key }) => isPossible[key]);
  const lead = say(state === 'ended' ? 'errors.list-ended' : 'lists.life-lead');
  if (!can('lists:write')) return null;
  return (
    <Section title={say('lists.life')} lead={lead} kind="danger">
      <ul className="svcd-plain svcd-lines">
        {possible.map((act) => (
          <li key={act.key} className="svcd-row svcd-between svcd-act">
            <p className="svcd-muted">{say(`lists.${act.key}-text`)}</p>
            <Button
              kind={act.key === 'delete' ? 'danger' : 'secondary'}
              onPress={() => ask(act)}
              text={say(`lists.${act.key}`)}
            />
          </li>
        ))}
      </ul>
      {dialog}
    </Section>
  );
}

interface EffectsProps {
  readonly listId: string;
  readonly timeZone: string | null;
  readonly of: (impact: ListImpact, exact: (at: string) => string) => readonly Line[];
}

function Effects({ listId, timeZone, of }: EffectsProps) {
  const impact = useRead('getListImpact', { params: { listId } }, { staleMs: 0 });
  if (impact.error !== null || impact.data === undefined) return <Unread query={impact} />;
  return <Lines lines={of(impact.data, createZonedFormat(timeZone).exact)} />;
}
