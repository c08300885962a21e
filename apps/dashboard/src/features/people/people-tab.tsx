import './people.css';
import type { PersonResource } from '@svc/protocol';
import { FolderInput, RefreshCw, Trash2, UserRound } from 'lucide';
import { useMemo, useState } from 'react';
import { useRead } from '../../api/hooks.ts';
import { useLive } from '../../api/live.ts';
import { useCan } from '../../api/session.tsx';
import { Empty } from '../../components/blocks.tsx';
import { Button } from '../../components/button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { ButtonLink } from '../../components/link.tsx';
import { Menu } from '../../components/menu.tsx';
import { Notice } from '../../components/status.tsx';
import { useCurrentList } from '../../components/tabbed-page.tsx';
import { format, say, useSettled } from '../../text/index.ts';
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
const TYPING_MS = 250;

const countOf = { enrolled: 'enrolled', 'other-model': 'otherModel', leaving: 'leaving' } as const;

/** The day in the browser's time zone at which a date input's day is over. */
function endOfDay(day: string): string | undefined {
  const date = new Date(`${day}T00:00:00`);
  if (day === '' || Number.isNaN(date.getTime())) return undefined;
  date.setDate(date.getDate() + 1);
  return date.toISOString();
}

/** The people of the list that an event's or a list's page shows. */
export function PeopleTab() {
  const { listId } = useCurrentList();
  if (listId === null) {
    return <Empty icon={UserRound} title={say('people.no-list')} text={say('people.no-list-help')} />;
  }
  return <People key={listId} listId={listId} />;
}

function People({ listId }: { readonly listId: string }) {
  const can = useCan();
  const { eventId } = useCurrentList();
  const [prefix, setPrefix] = useState('');
  const [state, setState] = useState<State | null>(null);
  const [day, setDay] = useState('');
  const [order, setOrder] = useState<Order>('newest');
  const [shown, setShown] = useState<PersonResource | null>(null);
  const [erased, setErased] = useState<PersonResource | null>(null);

  const typed = useSettled(prefix.trim(), TYPING_MS);
  const filter = {
    ...(typed === '' ? {} : { personIdPrefix: typed }),
    deleteBefore: endOfDay(day),
  };
  const params = { listId };
  const query = { limit: PAGE_LIMIT, order, ...filter, ...(state === null ? {} : { state }) };
  const { pages, isOutdated, readAgain } = usePeople(listId, query);
  const counts = useRead('getPeopleSummary', { params, query: filter }).data;
  useLive('people', listId);
  const isFiltered = typed !== '' || day !== '' || state !== null;

  const columns = useMemo<readonly Column<PersonResource>[]>(
    () => [
      {
        header: 'people.person',
        width: 'minmax(10rem, 2fr)',
        cell: (person) => (
          <button type="button" className="svcd-person-link" onClick={() => setShown(person)}>
            {person.personId}
          </button>
        ),
      },
      {
        width: 'minmax(9.5rem, 1fr)',
        header: 'people.enrolled-at',
        cell: (person) => format.dateTime(person.enrolledAt),
      },
      { header: 'people.delete-after', cell: (person) => format.date(person.deleteAfter) },
      { header: 'people.state', cell: (person) => <StateBadge state={person.state} /> },
    ],
    [say, format],
  );

  const importTarget =
    eventId === null
      ? { to: '/lists/$listId/import', params: { listId } }
      : { to: '/events/$eventId/import', params: { eventId } };
  const canImport = can('people:write');

  return (
    <div className="svcd-stack">
      <div className="svcd-people-bar">
        <TextField
          label={say('people.search')}
          type="search"
          value={prefix}
          onChange={setPrefix}
          autoComplete="off"
          placeholder={say('people.search-example')}
          maxLength={200}
        />
        <TextField label={say('people.delete-by')} type="date" value={day} onChange={setDay} />
        <SelectField
          label={say('people.order')}
          value={order}
          onChange={setOrder}
          options={orders.map((each) => ({ value: each, label: say(`people.order.${each}`) }))}
        />
        <div className="svcd-actions">
          <Button kind="quiet" icon={RefreshCw} label={say('people.refresh')} onPress={readAgain} />
          {canImport && <ButtonLink icon={FolderInput} {...importTarget} text={say('people.import')} />}
        </div>
      </div>
      <fieldset className="svcd-chips">
        <legend className="svc-visually-hidden">{say('people.state')}</legend>
        <Chip isOn={state === null} onPress={() => setState(null)} label={say('people.all')} count={counts?.people} />
        {states.map((each) => (
          <Chip
            key={each}
            isOn={state === each}
            onPress={() => setState(state === each ? null : each)}
            label={say(`people.state.${each}`)}
            count={counts?.[countOf[each]]}
          />
        ))}
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
        rowKey={(person) => person.personId}
        pages={pages}
        total={state === null ? counts?.people : counts?.[countOf[state]]}
        actions={(person) => (
          <Menu
            label={say('people.actions', { personId: person.personId })}
            entries={[
              { label: say('people.details'), icon: UserRound, onPress: () => setShown(person) },
              ...(can('people:write')
                ? [
                    {
                      label: say('people.erase'),
                      icon: Trash2,
                      kind: 'danger' as const,
                      onPress: () => setErased(person),
                    },
                  ]
                : []),
            ]}
          />
        )}
        empty={
          isFiltered ? (
            <Empty title={say('people.none-found')} text={say('people.none-found-help')} />
          ) : (
            <Empty
              icon={UserRound}
              title={say('people.empty')}
              action={
                canImport && (
                  <ButtonLink kind="primary" icon={FolderInput} {...importTarget} text={say('people.import')} />
                )
              }
              text={say(eventId === null ? 'people.empty-list-help' : 'people.empty-event-help')}
            />
          )
        }
      />
      {shown !== null && (
        <PersonDialog
          listId={listId}
          person={shown}
          onClose={() => setShown(null)}
          onErase={() => {
            setErased(shown);
            setShown(null);
          }}
        />
      )}
      {erased !== null && <EraseDialog listId={listId} person={erased} onClose={() => setErased(null)} />}
    </div>
  );
}

function Chip({
  label,
  count,
  isOn,
  onPress,
}: {
  readonly label: string;
  readonly count: number | undefined;
  readonly isOn: boolean;
  readonly onPress: () => void;
}) {
  return (
    <button type="button" className="svcd-chip" aria-pressed={isOn} onClick={onPress}>
      {label}
      {count !== undefined && <span className="svcd-number">{format.number(count)}</span>}
    </button>
  );
}
