import { AssertionError } from 'node:assert';
import { DAY_MS } from '@svc/protocol';

/** A promise was broken: an assertion of the test that failed. */
export class Violation extends AssertionError {}

/** @throws Violation naming the broken promise */
export function promise(isKept: boolean, what: string): void {
  if (!isKept) throw new Violation({ message: what });
}

/** A person as the enrolling organiser knows them. */
export interface ExpectedPerson {
  readonly face: number;
  readonly engineId: string;
  /** Deletion time promised at the enrolment. */
  readonly promisedMs: number;
  /** Possibly shortened by the list's deadline since. */
  deleteAfterMs: number;
}

export interface ExpectedList {
  readonly listId: string;
  readonly eventId: string | null;
  deadlineMs: number | null;
  readonly people: Map<string, ExpectedPerson>;
}

/** A change that a restored backup must not undo. */
export type Undoable = { readonly listId: string; readonly personId: string | null } | { readonly deviceId: string };

/** The expected state of the service, derived from its requests and answers, never from its internals. */
export interface ExpectedState {
  readonly lists: Map<string, ExpectedList>;
  /** By token: the device and its list. */
  readonly devices: Map<string, { readonly deviceId: string; readonly listId: string }>;
  readonly revoked: Set<string>;
}

export const nothingExpected = (): ExpectedState => ({ lists: new Map(), devices: new Map(), revoked: new Set() });

/** Past its deadline, when jobs remove it. */
export function isOver({ deadlineMs }: ExpectedList, nowMs: number): boolean {
  return deadlineMs !== null && deadlineMs <= nowMs;
}

/** The people sent to a device: not past their time, and on an ongoing list with a day of it left. */
export function servedPeople(list: ExpectedList, nowMs: number): ReadonlyMap<string, ExpectedPerson> {
  const dueMs = list.deadlineMs === null ? nowMs + DAY_MS : nowMs;
  return new Map([...list.people].filter(([, { deleteAfterMs }]) => deleteAfterMs > dueMs));
}

/** Makes the permanent changes again, after a backup was restored. */
export function repeatChanges(expected: ExpectedState, changes: readonly Undoable[]): void {
  for (const change of changes) {
    if ('deviceId' in change) expected.revoked.add(change.deviceId);
    else if (change.personId === null) expected.lists.delete(change.listId);
    else expected.lists.get(change.listId)?.people.delete(change.personId);
  }
}
