import type { ListResource } from '@svc/protocol';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useAct, useRead } from '../../api/hooks.ts';
import { useCan } from '../../api/session.tsx';
import { Section } from '../../components/blocks.tsx';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Unread } from '../../components/status.tsx';
import { toast } from '../../components/toast.tsx';
import { say } from '../../text/index.ts';
import { createZonedFormat, ownTimeZone } from '../../text/places.ts';
import { closeLines, deleteLines, endLines, type Line, Lines } from './consequences.tsx';

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
      <ul className="svcd-plain">
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
        act={closing}
        onConfirm={() => closing.mutate({ params })}
      >
        <Effects listId={list.listId} timeZone={timeZone} of={closeLines} />
      </Confirm>
      <Confirm
        isOpen={asked === 'end'}
        onClose={close}
        title={say('lists.end-title', { name: list.name })}
        action={say('lists.end')}
        act={ending}
        onConfirm={() => ending.mutate({ params })}
      >
        <Effects listId={list.listId} timeZone={timeZone} of={endLines} />
      </Confirm>
      <Confirm
        isOpen={asked === 'delete'}
        onClose={close}
        title={say('lists.delete-title', { name: list.name })}
        action={say('lists.delete')}
        name={list.name}
        act={deleting}
        onConfirm={() => deleting.mutate({ params })}
      >
        <Effects listId={list.listId} timeZone={timeZone} of={deleteLines} />
      </Confirm>
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
  readonly of: (impact: never, exact: (at: string) => string) => readonly Line[];
}) {
  const impact = useRead('getListImpact', { params: { listId: o.listId } }, { staleMs: 0 });
  if (impact.error !== null || impact.data === undefined) return <Unread query={impact} />;
  const { exact } = createZonedFormat(o.timeZone ?? ownTimeZone());
  return <Lines lines={o.of(impact.data as never, exact)} />;
}
