import { DAY_MS } from '@svc/protocol';

/** A promise was broken. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** @throws Violation naming the broken promise */
export function promise(isKept: boolean, what: string): void {
  if (!isKept) throw new Violation(what);
}

/** A person as the enrolling organiser knows them. */
export interface ExpectedPerson {
  readonly face: number;
  readonly engineId: string;
  /** Deletion time promised at the enrolment. */
  readonly promisedMs: number;
  /** Possibly shortened by the list's deadline since. */
  readonly deleteAfterMs: number;
}

export interface ExpectedList {
  readonly listId: string;
  readonly eventId: string | null;
  readonly deadlineMs: number | null;
  readonly people: ReadonlyMap<string, ExpectedPerson>;
}

/** Changes that a restored backup must not undo. */
export type Undoable = { readonly listId: string; readonly personId: string | null } | { readonly deviceId: string };

/** The expected state of the service, derived from its requests and answers, never from its internals. Immutable. */
export interface ExpectedState {
  readonly lists: ReadonlyMap<string, ExpectedList>;
  /** By token: the device and its list. */
  readonly devices: ReadonlyMap<string, { readonly deviceId: string; readonly listId: string }>;
  readonly revoked: ReadonlySet<string>;
}

export const NOTHING_EXPECTED: ExpectedState = {
  lists: new Map(),
  devices: new Map(),
  revoked: new Set(),
};

export const withEntry = <K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> =>
  new Map([...map, [key, value]]);

export const withoutEntry = <K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> =>
  new Map([...map].filter(([other]) => other !== key));

export function withList(expected: ExpectedState, list: ExpectedList): ExpectedState {
  return { ...expected, lists: withEntry(expected.lists, list.listId, list) };
}

/** Past its deadline, when jobs remove it. */
export function isOver({ deadlineMs }: ExpectedList, nowMs: number): boolean {
  return deadlineMs !== null && deadlineMs <= nowMs;
}

/** The people sent to a device: not past their time, and on an ongoing list with a day of it left. */
export function servedPeople(list: ExpectedList, nowMs: number): ReadonlyMap<string, ExpectedPerson> {
  const dueMs = list.deadlineMs === null ? nowMs + DAY_MS : nowMs;
  return new Map([...list.people].filter(([, { deleteAfterMs }]) => deleteAfterMs > dueMs));
}

/** The state after a backup of `then` is restored, with the permanent changes made since. */
export function restored(then: ExpectedState, undone: readonly Undoable[]): ExpectedState {
  let expected = then;
  for (const each of undone) {
    if ('deviceId' in each) {
      expected = { ...expected, revoked: new Set([...expected.revoked, each.deviceId]) };
      continue;
    }
    const list = expected.lists.get(each.listId);
    if (list === undefined) continue;
    expected =
      each.personId === null
        ? { ...expected, lists: withoutEntry(expected.lists, each.listId) }
        : withList(expected, { ...list, people: withoutEntry(list.people, each.personId) });
  }
  return expected;
}
