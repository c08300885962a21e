import type { DeviceResource } from '@svc/protocol';
import { useMemo } from 'react';
import { useCan, useRead, useTask } from '../../api/hooks.ts';
import { CheckField } from '../../components/field.tsx';
import { PaperDialog, pagesOf } from '../../components/paper.tsx';
import { Problem } from '../../components/status.tsx';
import { say, words } from '../../text/index.ts';
import { createZonedFormat } from '../../text/places.ts';
import { CutNotice, inOrder, ticketsOf } from '../guests/badges.tsx';
import { namesOf } from '../guests/guest-names.ts';
import { nameOf } from './door-alert.tsx';

const TICKETS_OF_PAGE = 80;
const NONE: readonly string[] = [];
/** What a kiosk shows, in the order in which staff meet it. */
const screens = ['let-in', 'again', 'standard', 'staff', 'turn', 'offline', 'stopped'] as const;

interface DoorSheetProps {
  readonly listId: string;
  readonly doors: readonly DeviceResource[];
}

/** A page for staff at the doors, and the list's IDs with boxes to tick, for when nothing else works. */
export function DoorSheet({ listId, doors }: DoorSheetProps) {
  const can = useCan();
  const { data: list } = useRead('getList', { params: { listId } });
  const eventId = list?.eventId ?? '';
  const { data: event } = useRead('getEvent', { params: { eventId } }, { enabled: eventId !== '' });
  const read = useTask(() => ticketsOf({ listId, part: '', state: null }));
  const tickets = read.data ?? NONE;
  const pages = useMemo(() => {
    const names = namesOf(listId);
    const shown = screens.filter((screen) => screen !== 'turn' || list?.headTurnAlternative === 'staff');
    const sheet = (
      <div key="sheet" className="svcd-paper-page">
        <h1>{event?.name ?? list?.name}</h1>
        <p>
          {event !== undefined && createZonedFormat(event.timeZone).range(event.startsAt, event.endsAt)} {event?.place}
        </p>
        <p>{[...(event === undefined ? [] : [list?.name]), ...doors.map(nameOf)].join(' · ')}</p>
        <dl>
          {shown.map((screen) => {
            const { label, help } = words(`sheet.${screen}`);
            return (
              <div key={screen}>
                <dt>{label}</dt>
                <dd>{help}</dd>
              </div>
            );
          })}
        </dl>
        <p>{say('sheet.phone')} ____________________________</p>
      </div>
    );
    const boxOf = (ticketId: string) => (
      <p key={ticketId}>
        ☐ {ticketId} {names.get(ticketId)}
      </p>
    );
    return [sheet, ...pagesOf(inOrder(tickets), TICKETS_OF_PAGE, boxOf, 'svcd-paper-boxes')];
  }, [listId, list, event, doors, tickets]);
  return (
    <PaperDialog title={say('sheet.title')} pages={pages}>
      <p>{say('sheet.lead')}</p>
      {can('people:read') && (
        <CheckField
          {...words('sheet.ids')}
          value={read.isPending || read.isSuccess}
          onChange={(isWanted) => (isWanted ? read.mutate() : read.reset())}
        />
      )}
      <Problem error={read.error} />
      <CutNotice tickets={tickets} />
    </PaperDialog>
  );
}
