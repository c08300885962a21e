import { DAY_MS } from '@svc/protocol';

/** A promise was broken. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** @throws Violation saying what was promised and is not so */
export function promise(isKept: boolean, what: string): void {
  if (!isKept) throw new Violation(what);
}

/** A person as somebody knows him who enrolled him. */
export interface ExpectedPerson {
  readonly face: number;
  readonly engineId: string;
  /** As it was promised at the enrolment. */
  readonly promisedMs: number;
  /** As the list's deadline has shortened it since. */
  readonly deleteAfterMs: number;
}

export interface ExpectedList {
  readonly listId: string;
  readonly account: number;
  readonly eventId: string | null;
  readonly deadlineMs: number | null;
  readonly isClosed: boolean;
  readonly hasEnded: boolean;
  readonly people: ReadonlyMap<string, ExpectedPerson>;
}

/** What cannot be undone, not by a backup either. */
export type Undoable = { readonly listId: string; readonly personId: string | null } | { readonly deviceId: string };

/**
 * What is true of the service, told by what was asked of it and what it answered, and never by looking into it. A
 * value: what is kept of it stays as it was.
 */
export interface ExpectedState {
  readonly lists: ReadonlyMap<string, ExpectedList>;
  /** By token: which device, on which list. */
  readonly devices: ReadonlyMap<string, { readonly deviceId: string; readonly listId: string }>;
  readonly revoked: ReadonlySet<string>;
  readonly suspended: ReadonlySet<number>;
}

export const NOTHING_EXPECTED: ExpectedState = {
  lists: new Map(),
  devices: new Map(),
  revoked: new Set(),
  suspended: new Set(),
};

export const withEntry = <K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> =>
  new Map([...map, [key, value]]);

export const withoutEntry = <K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> =>
  new Map([...map].filter(([other]) => other !== key));

export function withList(expected: ExpectedState, list: ExpectedList): ExpectedState {
  return { ...expected, lists: withEntry(expected.lists, list.listId, list) };
}

/** Nobody is enrolled any more, whoever asks. */
export function isOver({ hasEnded, deadlineMs }: ExpectedList, nowMs: number): boolean {
  return hasEnded || (deadlineMs !== null && deadlineMs <= nowMs);
}

/** Whom a device is sent: whoever has his time, and on an ongoing list a day of it left. */
export function servedPeople(list: ExpectedList, nowMs: number): ReadonlyMap<string, ExpectedPerson> {
  const dueMs = list.deadlineMs === null ? nowMs + DAY_MS : nowMs;
  return new Map([...list.people].filter(([, { deleteAfterMs }]) => deleteAfterMs > dueMs));
}

/** What a backup of `then` comes to, with what was undone for good since. */
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
