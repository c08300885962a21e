import { useMemo } from 'react';
import { QrCode } from '../../components/hand-over.tsx';
import { PaperDialog, pagesOf } from '../../components/paper.tsx';
import { Notice } from '../../components/status.tsx';
import { language, say } from '../../text/index.ts';
import { namesOf } from './guest-names.ts';
import { type GuestChoice, guestPages } from './use-guests.ts';

/** Printed at once. */
const MAX_TICKETS = 5_000;
/** Three columns of eight. */
const BADGES_OF_PAGE = 24;

/** The tickets of the first guests of a choice: one more than can be printed where there are more. */
export async function ticketsOf(choice: GuestChoice): Promise<readonly string[]> {
  const tickets: string[] = [];
  for await (const guests of guestPages(choice)) {
    tickets.push(...guests.flatMap(({ ticketId }) => ticketId ?? []));
    if (tickets.length > MAX_TICKETS) break;
  }
  return tickets.slice(0, MAX_TICKETS + 1);
}

/** Those that are printed, in the order in which they are looked for. */
export const inOrder = (tickets: readonly string[]): readonly string[] =>
  tickets.slice(0, MAX_TICKETS).sort(new Intl.Collator(language, { numeric: true }).compare);

export const CutNotice = ({ tickets }: { readonly tickets: readonly string[] }) =>
  tickets.length > MAX_TICKETS && <Notice tone="warning" text={say('print.cut', { count: MAX_TICKETS })} />;

/** A badge for each ticket: its code as the kiosk reads it, the guest's name where this tab has it, and the ID. */
export function PrintBadges({ listId, tickets }: { readonly listId: string; readonly tickets: readonly string[] }) {
  const pages = useMemo(() => {
    const names = namesOf(listId);
    const badgeOf = (ticketId: string) => (
      <div key={ticketId} className="svcd-paper-badge">
        <QrCode text={ticketId} label={ticketId} />
        <p>
          <b>{names.get(ticketId)}</b>
          {ticketId}
        </p>
      </div>
    );
    return pagesOf(inOrder(tickets), BADGES_OF_PAGE, badgeOf, 'svcd-paper-badges');
  }, [listId, tickets]);
  return (
    <PaperDialog title={say('print.badges')} pages={pages}>
      <p>{say('print.badges-lead', { count: Math.min(tickets.length, MAX_TICKETS), pages: pages.length })}</p>
      <CutNotice tickets={tickets} />
    </PaperDialog>
  );
}
