import type { ListResource } from '@svc/protocol';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useAct, useRead } from '../../api/hooks.ts';
import { useFormat, useSay } from '../../app/language.tsx';
import { useCan } from '../../app/session.tsx';
import { Button } from '../../components/button.tsx';
import { Confirm, ConfirmByName } from '../../components/dialog.tsx';
import { Problem } from '../../components/problem.tsx';
import { Loading } from '../../components/progress.tsx';
import { Section } from '../../components/section.tsx';
import { toast } from '../../components/toast.tsx';
import { createZonedFormat, ownTimeZone } from '../events/zoned-time.ts';
import { closeLines, deleteLines, endLines, type Line } from './consequences.ts';
import { Lines } from './lines.tsx';

type Act = 'close' | 'end' | 'delete';

export interface ListLifeProps {
  readonly list: ListResource;
  /** Of the event's place. */
  readonly timeZone?: string | null;
  /** Where to go once the list is gone; default: to the lists. */
  readonly onDeleted?: () => void;
}

/** Closing, ending and deleting a list; each says beforehand what it does, in numbers and dates. */
export function ListLife({ list, timeZone = null, onDeleted }: ListLifeProps) {
  const say = useSay();
  const can = useCan();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Act | null>(null);
  const close = () => setAsked(null);
  const done = (text: string) => () => {
    close();
    toast({ text });
  };
  const closing = useAct('closeEnrollment', { alsoChanges: ['events'], onSuccess: done(say('lists.closed-now')) });
  const ending = useAct('endList', { alsoChanges: ['events'], onSuccess: done(say('lists.ended-now')) });
  const deleting = useAct('deleteList', {
    alsoChanges: ['events'],
    onSuccess: () => {
      done(say('lists.deleted-now', { name: list.name }))();
      if (onDeleted === undefined) void navigate({ to: '/lists' as string });
      else onDeleted();
    },
  });
  if (!can('lists:write')) return null;
  const params = { listId: list.listId };
  return (
    <Section title={say('lists.life')} lead={say('lists.life-lead')} kind="danger">
      <ul className="svcd-acts">
        {list.state === 'open' && (
          <Choice title={say('lists.close')} text={say('lists.close-text')} onPress={() => setAsked('close')} />
        )}
        {list.state !== 'ended' && (
          <Choice title={say('lists.end')} text={say('lists.end-text')} onPress={() => setAsked('end')} />
        )}
        <Choice
          title={say('lists.delete')}
          text={say('lists.delete-text')}
          onPress={() => setAsked('delete')}
          isDanger
        />
      </ul>
      <Confirm
        isOpen={asked === 'close'}
        onClose={close}
        title={say('lists.close-title', { name: list.name })}
        action={say('lists.close')}
        isBusy={closing.isPending}
        onConfirm={() => closing.mutate({ params })}
      >
        <Effects listId={list.listId} timeZone={timeZone} error={closing.error} of={closeLines} />
      </Confirm>
      <Confirm
        isOpen={asked === 'end'}
        onClose={close}
        title={say('lists.end-title', { name: list.name })}
        action={say('lists.end')}
        isBusy={ending.isPending}
        onConfirm={() => ending.mutate({ params })}
      >
        <Effects listId={list.listId} timeZone={timeZone} error={ending.error} of={endLines} />
      </Confirm>
      <ConfirmByName
        isOpen={asked === 'delete'}
        onClose={close}
        title={say('lists.delete-title', { name: list.name })}
        action={say('lists.delete')}
        name={list.name}
        isBusy={deleting.isPending}
        onConfirm={() => deleting.mutate({ params })}
      >
        <Effects listId={list.listId} timeZone={timeZone} error={deleting.error} of={deleteLines} />
      </ConfirmByName>
    </Section>
  );
}

function Choice(o: {
  readonly title: string;
  readonly text: ReactNode;
  readonly onPress: () => void;
  readonly isDanger?: boolean;
}) {
  return (
    <li className="svcd-act">
      <p className="svcd-muted">{o.text}</p>
      <Button kind={o.isDanger === true ? 'danger' : 'secondary'} onPress={o.onPress}>
        {o.title}
      </Button>
    </li>
  );
}

/** The act's effects by the numbers of this moment. */
function Effects(o: {
  readonly listId: string;
  readonly timeZone: string | null;
  readonly error: unknown;
  readonly of: (impact: never, exact: (at: string) => string) => readonly Line[];
}) {
  const { locale } = useFormat();
  const impact = useRead('getListImpact', { params: { listId: o.listId } }, { staleMs: 0 });
  if (impact.error !== null) return <Problem error={impact.error} onRetry={() => void impact.refetch()} />;
  if (impact.data === undefined) return <Loading />;
  const { exact } = createZonedFormat(locale, o.timeZone ?? ownTimeZone());
  return (
    <>
      <Lines lines={o.of(impact.data as never, exact)} />
      {o.error !== null && <Problem error={o.error} />}
    </>
  );
}
