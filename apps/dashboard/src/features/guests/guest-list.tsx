import '../people/people.css';
import type { GuestResource, GuestState, PersonResource } from '@svc/protocol';
import { Ban, Download, FolderInput, Printer, RefreshCw, Trash2, UserRound } from 'lucide';
import { type ReactNode, useMemo, useState, useSyncExternalStore } from 'react';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { useCan, useTask } from '../../api/hooks.ts';
import { Empty, Section } from '../../components/blocks.tsx';
import { Button, ButtonLink } from '../../components/controls.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { RadioField, TextField } from '../../components/field.tsx';
import { csvFile, csvLines, NoTable, saveAs } from '../../components/files.ts';
import { useDialog } from '../../components/form.tsx';
import { Menu, type MenuEntry } from '../../components/menu.tsx';
import { Badge, Notice, Problem, type Tone, toast } from '../../components/status.tsx';
import type { CurrentList } from '../../components/tabbed-page.tsx';
import { format, plain, say, type TextKey, TYPING_MS, useSettled } from '../../text/index.ts';
import { EraseDialog, EraseMany } from '../people/erase-dialog.tsx';
import { PersonDialog } from '../people/person-dialog.tsx';
import { PrintBadges, ticketsOf } from './badges.tsx';
import { keepNames, namesOf, watchNames } from './guest-names.ts';
import { guessMapping } from './guest-table.ts';
import { faultOf, readGuestFile, SourceNotice } from './invite.tsx';
import { RenewDialog, RevokeLinks } from './link-dialogs.tsx';
import { type GuestChoice, guestPages, useGuests } from './use-guests.ts';

const tones: Readonly<Record<GuestState, Tone>> = {
  ...{ invited: 'neutral', opened: 'accent', enrolled: 'good', 'other-model': 'warning', leaving: 'neutral' },
  ...{ declined: 'neutral', exhausted: 'bad', expired: 'warning', revoked: 'neutral', erased: 'neutral' },
};
const guestStates = Object.keys(tones) as GuestState[];

/** In the place of a ticket: what is gone, since when, and why. */
export function ForgottenTicket({ why, at = null }: { why: GuestState | 'mailing'; at?: string | null }) {
  const help = `guests.forgotten.${why}`;
  return (
    <>
      <span className="svcd-muted">{say('guests.forgotten')}</span>
      {say.has(help) && (
        <span className="svcd-help svcd-guests-gone">{say(help, { at: at === null ? '' : format.date(at) })}</span>
      )}
    </>
  );
}

/** A column of a table and of the file that is saved of it. */
type GuestColumn = Column<GuestResource> & { readonly sortBy: (guest: GuestResource) => string | null };

function moment(header: TextKey, of: (guest: GuestResource) => string | null | undefined): GuestColumn {
  const cell = (at: string | null) => at !== null && <time dateTime={at}>{format.dateTime(at)}</time>;
  const sortBy = (guest: GuestResource) => of(guest) ?? null;
  return { header, width: 'minmax(9.5rem, 1fr)', sortBy, cell: (guest) => cell(sortBy(guest)) };
}

function columnsOf(
  names: ReadonlyMap<string, string>,
  isOfEvent: boolean,
  show: (person: PersonResource) => void,
): readonly GuestColumn[] {
  const nameOf = ({ ticketId }: GuestResource) => names.get(ticketId ?? '') ?? null;
  const stateOf = ({ state }: GuestResource) => plain(say(`guests.state.${state}`));
  return [
    {
      header: isOfEvent ? 'guests.field.ticket' : 'people.person',
      width: 'minmax(10rem, 2fr)',
      isTitle: true,
      sortBy: ({ ticketId }) => ticketId,
      cell({ ticketId, state, ticketForgottenAt, person }) {
        if (ticketId === null) return <ForgottenTicket why={state} at={ticketForgottenAt} />;
        if (person === null) return ticketId;
        return (
          <button type="button" className="svcd-link svcd-person-link" onClick={() => show(person)}>
            {ticketId}
          </button>
        );
      },
    },
    ...(names.size > 0 ? [{ header: 'guests.field.name', width: 'minmax(7rem, 1.5fr)', sortBy: nameOf } as const] : []),
    {
      header: 'app.state',
      sortBy: stateOf,
      cell: (guest) => <Badge tone={tones[guest.state]}>{stateOf(guest)}</Badge>,
    },
    ...(isOfEvent
      ? [moment('guests.link-until', ({ token }) => (token?.state === 'valid' ? token.expiresAt : null))]
      : []),
    moment('guests.state.enrolled', ({ person }) => person?.enrolledAt),
    // One for all guests of an event.
    ...(isOfEvent ? [] : [moment('people.delete-after', ({ person }) => person?.deleteAfter)]),
  ];
}

interface GuestListProps extends CurrentList {
  readonly listId: string;
  /** Guests can still be invited. */
  readonly canRenew: boolean;
  /** Where there is nobody yet. */
  readonly empty?: ReactNode;
}

/** Everybody of a list in one table, with all that can be done with one of them. */
export function GuestList({ listId, eventId, canRenew, empty }: GuestListProps) {
  const mayWrite = useCan()('people:write');
  const [typed, setTyped] = useState('');
  const [state, setState] = useState<GuestState | null>(null);
  const { dialog, open } = useDialog();
  const readNames = () => namesOf(listId);
  const names = useSyncExternalStore(watchNames, readNames, readNames);
  const part = useSettled(typed.trim(), TYPING_MS);
  const choice = { listId, part, state };
  const { pages, counted, isOutdated, readAgain } = useGuests(choice);
  const summary = counted.data;
  const { erase, show, columns } = useMemo(() => {
    const erase = (person: PersonResource) =>
      open(<EraseDialog listId={listId} person={person} onErased={readAgain} />);
    const show = (person: PersonResource) =>
      open(<PersonDialog listId={listId} person={person} onErase={() => erase(person)} />);
    return { erase, show, columns: columnsOf(names, eventId !== null, show) };
  }, [listId, eventId, names, readAgain, open]);

  function menuOf(guest: GuestResource): ReactNode {
    const { ticketId, token, person } = guest;
    const entries: MenuEntry[] = [];
    if (person !== null) entries.push({ label: say('people.details'), icon: UserRound, onPress: () => show(person) });
    if (mayWrite && eventId !== null && ticketId !== null) {
      const onPress = () => open(<RenewDialog eventId={eventId} ticketId={ticketId} onDone={readAgain} />);
      entries.push({ label: say('guests.renew'), icon: RefreshCw, isDisabled: !canRenew, onPress });
    }
    if (mayWrite && eventId !== null && token?.state === 'valid') {
      const onPress = () => open(<RevokeLinks eventId={eventId} guests={[guest]} onDone={readAgain} />);
      entries.push({ label: say('app.revoke'), icon: Ban, kind: 'danger', onPress });
    }
    if (mayWrite && person !== null) {
      entries.push({ label: say('people.erase'), icon: Trash2, kind: 'danger', onPress: () => erase(person) });
    }
    const ticket = ticketId ?? token?.tokenId ?? '';
    return entries.length > 0 && <Menu label={say('guests.actions', { ticket })} entries={entries} />;
  }

  const printBadges = (tickets: readonly string[]) => open(<PrintBadges listId={listId} tickets={tickets} />);

  function bulkOf(marked: readonly GuestResource[], clear: () => void): ReactNode {
    const people = marked.flatMap(({ person }) => person ?? []);
    const links = marked.filter(({ token }) => token?.state === 'valid');
    const onDone = () => {
      clear();
      readAgain();
    };
    const tickets = marked.flatMap(({ ticketId }) => ticketId ?? []);
    return (
      <>
        {tickets.length > 0 && (
          <Button size="small" icon={Printer} onPress={() => printBadges(tickets)} text={say('print.badges')} />
        )}
        {mayWrite && eventId !== null && links.length > 0 && (
          <Button
            size="small"
            icon={Ban}
            onPress={() => open(<RevokeLinks eventId={eventId} guests={links} onDone={onDone} />)}
            text={say('guests.revoke-do', { count: links.length })}
          />
        )}
        {mayWrite && people.length > 0 && (
          <Button
            size="small"
            kind="danger"
            icon={Trash2}
            onPress={() => open(<EraseMany listId={listId} people={people} onDone={onDone} />)}
            text={say('many.erase', { count: people.length })}
          />
        )}
      </>
    );
  }

  const label = say(eventId === null ? 'people.tab' : 'guests.tab');
  const print = useTask(() => ticketsOf(choice), printBadges);
  const save = useTask(() => exportGuests(choice, columns, plain(label)));
  const name = useTask(async (file: File) => {
    const table = await readGuestFile(file);
    const shown = pages.items.map(({ ticketId }) => ticketId);
    const told = keepNames(listId, table, guessMapping(table), shown);
    if (told.count === 0) throw new NoTable('no-names');
    toast({ text: say('guests.named', told), tone: told.found === 0 ? 'bad' : 'good' });
  });
  const countOf = (of: GuestState | 'all') => (of === 'all' ? summary?.guests : summary?.states[of]);
  const there = guestStates.filter((each) => (countOf(each) ?? Number(counted.isError)) > 0 || each === state);
  const help = `guests.state.${state}.help`;

  if (summary?.guests === 0 && empty !== undefined) return <>{empty}</>;
  return (
    <Section
      title={label}
      lead={say('guests.lead')}
      actions={
        <>
          <Button kind="quiet" icon={RefreshCw} label={say('people.refresh')} onPress={readAgain} />
          <Button icon={Download} isBusy={save.isPending} onPress={() => save.mutate()} text={say('guests.export')} />
          <Button icon={Printer} isBusy={print.isPending} onPress={() => print.mutate()} text={say('print.badges')} />
          {mayWrite && <ImportLink listId={listId} eventId={eventId} />}
        </>
      }
    >
      <div className="svcd-row svcd-filters">
        <TextField
          label={say(eventId === null ? 'people.search' : 'guests.search')}
          type="search"
          value={typed}
          onChange={setTyped}
          autoComplete="off"
          maxLength={200}
        />
        <FileTrigger
          acceptedFileTypes={['.csv', '.txt', '.tsv']}
          onSelect={(files) => files?.[0] && name.mutate(files[0])}
        >
          <Button icon={UserRound} text={say('guests.names')} />
        </FileTrigger>
      </div>
      <Problem error={save.error ?? print.error} />
      <Problem error={counted.error} onRetry={() => void counted.refetch()} />
      {name.error !== null && <SourceNotice fault={faultOf(name.error)} />}
      <RadioField
        isInline
        label={say('app.state')}
        value={state ?? 'all'}
        onChange={(value) => setState(value === 'all' ? null : value)}
        options={(['all', ...there] as const).map((value) => ({
          value,
          label: [say(`guests.state.${value}`), ...[countOf(value) ?? []].flat().map(format.number)].join(' '),
        }))}
      />
      {say.has(help) && <p className="svcd-muted">{say(help)}</p>}
      {isOutdated && (
        <Notice
          title={say('people.outdated')}
          action={<Button size="small" onPress={readAgain} text={say('people.refresh')} />}
        />
      )}
      <DataTable
        label={label}
        columns={columns}
        rowKey={({ token, person }) => token?.tokenId ?? person?.personId ?? ''}
        pages={pages}
        total={part === '' ? countOf(state ?? 'all') : undefined}
        actions={menuOf}
        bulk={bulkOf}
        empty={<Empty title={say('guests.none-found')} text={say('guests.none-found-help')} />}
      />
      {dialog}
    </Section>
  );
}

/** Leads to the import of photos with consents on file. */
export function ImportLink({ listId, eventId }: CurrentList) {
  const to = eventId === null ? `/lists/${listId}/import` : `/events/${eventId}/import`;
  return <ButtonLink icon={FolderInput} to={to} text={say('people.import')} />;
}

/** Saves what is chosen as CSV, with the names that this tab has. */
async function exportGuests(choice: GuestChoice, columns: readonly GuestColumn[], name: string): Promise<void> {
  const parts = [csvLines([columns.map(({ header }) => plain(say(header)))])];
  for await (const guests of guestPages(choice)) {
    parts.push(csvLines(guests.map((guest) => columns.map(({ sortBy }) => sortBy(guest)))));
  }
  saveAs(csvFile(parts), `${name}-${new Date().toISOString().slice(0, 10)}.csv`);
}
