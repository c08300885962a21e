import type { AccountVault } from '../../crypto/account-vault.ts';
import type { FoundPerson, PeopleOrder } from './store.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DEADLINE_PLACE = /^([0-9]{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/**
 * The keys of cursors in one order of people. They hold no personId that could be read: query strings are logged by
 * proxies.
 */
export interface Places {
  isKey(key: string): boolean;
  /** @param key undefined for the first page */
  orderAfter(key: string | undefined): PeopleOrder;
  keyOf(person: FoundPerson): string;
}

export function placesByEnrolment(by: 'oldest' | 'newest'): Places {
  const mark = by === 'newest' ? '-' : '';
  const rowIdOf = (key: string) => key.slice(mark.length);
  return {
    isKey: (key) => key.startsWith(mark) && UUID.test(rowIdOf(key)),
    orderAfter: (key) => ({ by, after: key === undefined ? undefined : { rowId: rowIdOf(key) } }),
    keyOf: ({ rowId }) => mark + rowId,
  };
}

export const placesByDeadline: Places = {
  isKey: (key) => DEADLINE_PLACE.test(key),
  orderAfter(key = '') {
    const [, deleteAfterMs, rowId] = DEADLINE_PLACE.exec(key) ?? [];
    const by = 'deadline' as const;
    return rowId === undefined ? { by } : { by, after: { deleteAfter: new Date(Number(deleteAfterMs)), rowId } };
  },
  keyOf: ({ deleteAfter, rowId }) => `${deleteAfter.getTime()}.${rowId}`,
};

/** The personId is sealed; so the place stays when the person is erased meanwhile. */
export function placesByPersonId(vault: AccountVault, listId: string): Places {
  const open = (key: string) => vault.openPlace(listId, Buffer.from(key, 'base64url'));
  return {
    isKey: (key) => open(key) !== null,
    orderAfter(key) {
      const personId = key === undefined ? null : open(key);
      return { by: 'personId', after: personId === null ? undefined : { personId } };
    },
    keyOf: ({ personId }) => vault.sealPlace(listId, personId).toString('base64url'),
  };
}
