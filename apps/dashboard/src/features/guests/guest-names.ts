import { Listeners } from '@svc/page-kit';
import { onForgotten } from '../../api/kept.ts';
import { checkRows, type Guest, type GuestTable, guessMapping } from './guest-table.ts';

type Names = ReadonlyMap<string, string>;
const NONE: Names = new Map();

/** Names of guests by ticket, of a list: in the memory of this tab alone. The service never gets them. */
const names = new Map<string, Names>();
const changed = new Listeners<void>();

export const namesOf = (listId: string): Names => names.get(listId) ?? NONE;
export const watchNames = (listener: () => void): (() => void) => changed.add(listener);

/** Adds the names of guests. @returns how many of the guests have one */
export function keepNames(listId: string, guests: readonly Pick<Guest, 'ticketId' | 'name'>[]): number {
  const named = guests.flatMap(({ ticketId, name }) => (name === '' ? [] : [[ticketId, name] as const]));
  if (named.length > 0) names.set(listId, new Map([...namesOf(listId), ...named]));
  changed.tell();
  return named.length;
}

/** The guests in a list, with their names. @param mapping default: as it is guessed */
export function namedIn(table: GuestTable, mapping = guessMapping(table)): readonly Guest[] {
  return checkRows(table, mapping, { needsEmail: false, linked: new Set() }).guests;
}

onForgotten(() => {
  names.clear();
  changed.tell();
});
