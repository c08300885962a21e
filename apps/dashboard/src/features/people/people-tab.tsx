import './people.css';
import type { PersonResource } from '@svc/protocol';
import { FolderInput, RefreshCw, Trash2, UserRound } from 'lucide';
import { useMemo, useState } from 'react';
import { useCan, useRead } from '../../api/hooks.ts';
import { Empty } from '../../components/blocks.tsx';
import { Button, ButtonLink } from '../../components/controls.tsx';
import { type Column, DataTable, moments } from '../../components/data-table.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { useDialog, useValues } from '../../components/form.tsx';
import { Menu, type MenuEntry } from '../../components/menu.tsx';
import { Notice } from '../../components/status.tsx';
import { listTab, useCurrentList } from '../../components/tabbed-page.tsx';
import { format, say, TYPING_MS, useSettled } from '../../text/index.ts';
import { EraseDialog } from './erase-dialog.tsx';
import { StateBadge } from './ledger-records.tsx';
import { PersonDialog } from './person-dialog.tsx';
import { usePeople } from './use-people.ts';

const states = ['enrolled', 'other-model', 'leaving'] as const;
type State = (typeof states)[number];
const orders = ['newest', 'oldest', 'personId', 'deadline'] as const;
type Order = (typeof orders)[number];

/** A page of the service's greatest length: fewer requests while a long list is scrolled. */
const PAGE_LIMIT = 200;

const countOf = { enrolled: 'enrolled', 'other-model': 'otherModel', leaving: 'leaving' } as const;

/** The day in the browser's time zone at which a date input's day is over. */
function endOfDay(day: string): string | undefined {
  const date = new Date(`${day}T00:00:00`);
  if (day === '' || Number.isNaN(date.getTime())) return undefined;
  date.setDate(date.getDate() + 1);
  return date.toISOString();
}

export const PeopleTab = listTab(UserRound, 'people.no-list', 'people.no-list-help', People);

const columnsOf = (show: (person: PersonResource) => void): readonly Column<PersonResource>[] => [
  {
    header: 'people.person',
    width: 'minmax(10rem, 2fr)',
    cell: (person) => (
      <button type="button" className="svcd-link svcd-person-link" onClick={() => show(person)}>
        {person.personId}
      </button>
    ),
  },
  moments('people.state.enrolled', 'minmax(9.5rem, 1fr)', ({ enrolledAt }) => enrolledAt),
  { header: 'people.delete-after', cell: ({ deleteAfter }) => format.date(deleteAfter) },
  { header: 'app.state', cell: ({ state }) => <StateBadge state={state} /> },
];

const initial = { prefix: '', day: '', order: 'newest' as Order };

function People({ listId }: { readonly listId: string }) {
  const mayWrite = useCan()('people:write');
  const { eventId } = useCurrentList();
  const { values, bind } = useValues(initial);
  const [state, setState] = useState<State | null>(null);
  const { dialog, open } = useDialog();
  const { day, order } = values;

  const typed = useSettled(values.prefix.trim(), TYPING_MS);
  const filter = {
    ...(typed === '' ? {} : { personIdPrefix: typed }),
    deleteBefore: endOfDay(day),
  };
  const query = { limit: PAGE_LIMIT, order, ...filter, ...(state === null ? {} : { state }) };
  const { pages, isOutdated, readAgain } = usePeople(listId, query);
  const counts = useRead('getPeopleSummary', { params: { listId }, query: filter }).data;
  const isFiltered = typed !== '' || day !== '' || state !== null;
  const { erase, columns, show } = useMemo(() => {
    const erase = (person: PersonResource) => open(<EraseDialog listId={listId} person={person} />);
    const show = (person: PersonResource) =>
      open(<PersonDialog listId={listId} person={person} onErase={() => erase(person)} />);
    return { erase, show, columns: columnsOf(show) };
  }, [listId, open]);

  const target = { to: eventId === null ? `/lists/${listId}/import` : `/events/${eventId}/import` };
  const text = say('people.import');
  const menuOf = (person: PersonResource) => {
    const entries: MenuEntry[] = [{ label: say('people.details'), icon: UserRound, onPress: () => show(person) }];
    if (mayWrite) {
      entries.push({ label: say('people.erase'), icon: Trash2, kind: 'danger', onPress: () => erase(person) });
    }
    return <Menu label={say('people.actions', { personId: person.personId })} entries={entries} />;
  };

  return (
    <div className="svcd-stack">
      <div className="svcd-row svcd-filters">
        <TextField
          label={say('people.search')}
          type="search"
          {...bind('prefix')}
          autoComplete="off"
          placeholder={say('people.search-example')}
          maxLength={200}
        />
        <TextField label={say('people.delete-by')} type="date" {...bind('day')} />
        <SelectField
          label={say('people.order')}
          {...bind('order')}
          options={orders.map((value) => ({ value, label: say(`people.order.${value}`) }))}
        />
        <div className="svcd-row svcd-actions">
          <Button kind="quiet" icon={RefreshCw} label={say('people.refresh')} onPress={readAgain} />
          {mayWrite && <ButtonLink icon={FolderInput} {...target} text={text} />}
        </div>
      </div>
      <fieldset className="svcd-fieldset svcd-row">
        <legend className="svc-visually-hidden">{say('app.state')}</legend>
        {[null, ...states].map((each) => {
          const count = each === null ? counts?.people : counts?.[countOf[each]];
          return (
            <button
              key={each}
              type="button"
              className="svcd-button"
              data-kind="secondary"
              data-size="small"
              aria-pressed={state === each}
              onClick={() => setState(state === each ? null : each)}
            >
              {say(each === null ? 'guests.state.all' : `people.state.${each}`)}
              {count !== undefined && <span className="svcd-number">{format.number(count)}</span>}
            </button>
          );
        })}
      </fieldset>
      {isOutdated && (
        <Notice
          title={say('people.outdated')}
          action={<Button size="small" onPress={readAgain} text={say('people.refresh')} />}
        />
      )}
      {state !== null && <p className="svcd-muted">{say(`people.state.${state}.help`)}</p>}
      <DataTable
        label={say('people.tab')}
        columns={columns}
        rowKey={({ personId }) => personId}
        pages={pages}
        total={state === null ? counts?.people : counts?.[countOf[state]]}
        actions={menuOf}
        empty={
          isFiltered ? (
            <Empty title={say('people.none-found')} text={say('people.none-found-help')} />
          ) : (
            <Empty
              icon={UserRound}
              title={say('people.empty')}
              action={mayWrite && <ButtonLink kind="primary" icon={FolderInput} {...target} text={text} />}
              text={say(eventId === null ? 'people.empty-list-help' : 'people.empty-event-help')}
            />
          )
        }
      />
      {dialog}
    </div>
  );
}
