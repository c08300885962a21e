import { Listeners } from '@svc/page-kit';
import { onForgotten } from '../../api/kept.ts';
import { checkRows, type GuestTable, type Mapping } from './guest-table.ts';

type Names = ReadonlyMap<string, string>;
const NONE: Names = new Map();

/** Names of guests by ticket, of a list: in the memory of this tab alone. The service never gets them. */
const names = new Map<string, Names>();
const changed = new Listeners<void>();

export const namesOf = (listId: string): Names => names.get(listId) ?? NONE;
export const watchNames = (listener: () => void): (() => void) => changed.add(listener);

/**
 * Keeps the names beside the tickets of the organiser's own list, which is sent nowhere.
 * @param shown tickets: where none of them has a name, the list is of others, and nothing is kept. Default: not known
 * @returns how many names there are, and how many of the tickets shown have one
 */
export function keepNames(listId: string, table: GuestTable, mapping: Mapping, shown?: readonly (string | null)[]) {
  const { guests } = checkRows(table, mapping, { needsEmail: false, linked: new Set() });
  const named = new Map(guests.flatMap(({ ticketId, name }) => (name === '' ? [] : [[ticketId, name] as const])));
  const found = shown?.filter((ticketId) => named.has(ticketId ?? '')).length;
  if (named.size > 0 && found !== 0) names.set(listId, new Map([...namesOf(listId), ...named]));
  changed.tell();
  return { count: named.size, found: found ?? 0 };
}

onForgotten(() => {
  names.clear();
  changed.tell();
});
