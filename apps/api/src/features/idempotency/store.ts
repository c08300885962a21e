import { changeDueRows } from '../../db/by-account.ts';
import { columnsOf, rowsOf, toRow } from '../../db/columns.ts';
import type { Connection, Transaction } from '../../db/connection.ts';

/** Identifies a request with a key: the account, and an HMAC of caller, operation and key. */
export interface RequestName {
  readonly accountId: string;
  /** 32 bytes */
  readonly keyHmac: Buffer;
}

export interface NewClaim extends RequestName {
  /** 32 bytes: HMAC of URL and body. */
  readonly requestHmac: Buffer;
  readonly claimId: string;
  readonly claimedUntil: Date;
  readonly expiresAt: Date;
}

/** A request that was carried out or is being carried out. */
export interface RememberedRequest {
  readonly state: 'claimed' | 'answered' | 'secret-issued' | 'erased';
  readonly claimedUntil: Date | null;
  readonly requestHmac: Buffer | null;
  readonly answerSealed: Buffer | null;
  readonly resourceId: string | null;
}

export interface CarriedOut {
  readonly state: 'answered' | 'secret-issued';
  readonly answerSealed: Buffer | null;
  readonly resourceId: string | null;
  /** The person that the answer is about. */
  readonly listId: string | null;
  readonly personHmac: Buffer | null;
  readonly expiresAt: Date;
}

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;

const CLAIM = `
INSERT INTO idempotent_requests (account_id, key_hmac, state, request_hmac, claim_id, claimed_until, expires_at)
VALUES (:accountId, :keyHmac, 'claimed', :requestHmac, :claimId, :claimedUntil, :expiresAt)
ON CONFLICT (account_id, key_hmac) DO UPDATE SET
  state = 'claimed', request_hmac = excluded.request_hmac, claim_id = excluded.claim_id,
  claimed_until = excluded.claimed_until, expires_at = excluded.expires_at,
  answer_sealed = NULL, resource_id = NULL, list_id = NULL, person_hmac = NULL
WHERE idempotent_requests.expires_at <= :now
   OR (idempotent_requests.state = 'claimed' AND idempotent_requests.claimed_until <= :now)
RETURNING claim_id`;

const PURGE = changeDueRows({
  table: 'idempotent_requests',
  key: { key_hmac: 'bytea' },
  due: 'expires_at <= :now',
  order: 'expires_at',
  change: 'DELETE FROM idempotent_requests',
});

export function createIdempotencyStore(connection: Connection) {
  const one = (on: Connection | Transaction, { accountId, keyHmac }: RequestName) =>
    on('idempotent_requests').where({ account_id: accountId, key_hmac: keyHmac });
  const held = (on: Connection | Transaction, name: RequestName, claimId: string) =>
    one(on, name).where({ claim_id: claimId, state: 'claimed' });
  return {
    /** @returns false when the key is claimed or was used in the last day */
    claim: async (claim: NewClaim, now: Date): Promise<boolean> =>
      (await rowsOf(connection, CLAIM, { ...claim, now })).length === 1,
    async find(name: RequestName, now: Date): Promise<RememberedRequest | null> {
      const request: RememberedRequest | undefined = await one(connection, name)
        .where('expires_at', '>', now)
        .first(columnsOf<RememberedRequest>()(['state', 'claimedUntil', 'requestHmac', 'answerSealed', 'resourceId']));
      return request ?? null;
    },
    /** @returns false when the claim was lost */
    async complete(tx: Transaction | null, name: RequestName, claimId: string, outcome: CarriedOut): Promise<boolean> {
      const completed = { ...toRow(outcome), claim_id: null, claimed_until: null };
      return (await held(tx ?? connection, name, claimId).update(completed)) === 1;
    },
    /** @returns false when the claim was lost */
    renew: async (name: RequestName, claimId: string, claimedUntil: Date): Promise<boolean> =>
      (await held(connection, name, claimId).update({ claimed_until: claimedUntil })) === 1,
    /** Releases a key whose request had no effect. */
    async release(name: RequestName, claimId: string): Promise<void> {
      await held(connection, name, claimId).delete();
    },
    /** Erases the stored answers about some people of a list, or about all (null); the keys stay used. */
    async erase(tx: Transaction, accountId: string, listId: string, people: readonly Buffer[] | null): Promise<void> {
      const rows = tx('idempotent_requests').where({ account_id: accountId, list_id: listId });
      await (people === null ? rows : rows.whereIn('person_hmac', people)).update({
        state: 'erased',
        request_hmac: null,
        answer_sealed: null,
        resource_id: null,
        list_id: null,
        person_hmac: null,
      });
    },
    /** Deletes expired requests. @returns number of requests */
    purge: (now: Date) => PURGE(connection, { now }),
  };
}
