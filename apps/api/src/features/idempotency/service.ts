import { timingSafeEqual } from 'node:crypto';
import { IDEMPOTENCY_KEPT_MS } from '@svc/protocol';
import { type AccountVault, openAccountVault, withAccountVault } from '../../crypto/account-vault.ts';
import type { Transaction } from '../../db/connection.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Claim, KeyedRequest, NamedRequest, Outcome } from '../../platform/idempotency.ts';
import { keepLease, leaseEnd, secondsUntil } from '../../platform/lease.ts';
import type { Uses } from '../uses.ts';
import type { CarriedOut, IdempotencyStore, RequestName } from './store.ts';

/** One effect per key, across nodes, repeats and crashes. */
export type IdempotencyService = ReturnType<typeof createIdempotencyService>;

type ListKey = { readonly accountId: string; readonly listId: string };

const personHmac = (vault: AccountVault, listId: string, personId: string) =>
  vault.requestHmac('person', listId, personId);

export function createIdempotencyService(
  o: Uses<'keyRing' | 'ids' | 'clock' | 'random'> & {
    readonly store: IdempotencyStore;
  },
) {
  /** @param claimedUntil null for a key that was released just now, so that the next attempt can claim it */
  const inFlight = (claimedUntil: Date | null) =>
    new ServiceError('request-in-flight', {
      retryAfterSeconds: claimedUntil === null ? 1 : secondsUntil(claimedUntil, o.clock),
    });

  function outcomeOf(vault: AccountVault, keyHmac: Buffer, { answer, resourceId, about }: Outcome): CarriedOut {
    const expiresAt = new Date(o.clock.now() + IDEMPOTENCY_KEPT_MS);
    return {
      state: answer === null ? 'secret-issued' : 'answered',
      answerSealed: answer === null ? null : vault.sealAnswer(keyHmac, answer),
      resourceId: answer === null ? (resourceId ?? null) : null,
      listId: about?.listId ?? null,
      personHmac: about === undefined ? null : personHmac(vault, about.listId, about.personId),
      expiresAt,
    };
  }

  /** The answer to a repeat: the first answer, or an error. */
  async function repeat(name: RequestName, requestHmac: Buffer, vault: AccountVault): Promise<string> {
    const known = await o.store.find(name, new Date(o.clock.now()));
    if (known === null) throw inFlight(null);
    if (known.state === 'erased') throw new ServiceError('answer-erased');
    if (known.requestHmac === null || !timingSafeEqual(known.requestHmac, requestHmac)) {
      throw new ServiceError('idempotency-key-reused');
    }
    if (known.state === 'claimed') throw inFlight(known.claimedUntil);
    if (known.state === 'secret-issued') {
      throw new ServiceError(
        'secret-already-issued',
        known.resourceId === null ? {} : { resourceId: known.resourceId },
      );
    }
    const answer = known.answerSealed === null ? null : vault.openAnswer(name.keyHmac, known.answerSealed);
    if (answer === null) throw new Error('a kept answer cannot be opened');
    return answer;
  }

  function claim(name: RequestName, requestHmac: Buffer, claimId: string): Promise<boolean> {
    const now = o.clock.now();
    const expiresAt = new Date(now + IDEMPOTENCY_KEPT_MS);
    return o.store.claim({ ...name, requestHmac, claimId, claimedUntil: leaseEnd(o.clock), expiresAt }, new Date(now));
  }

  function heldClaim(name: RequestName, claimId: string, vault: AccountVault): Claim {
    const endRenewals = keepLease(o.clock, (end) => o.store.renew(name, claimId, end));
    return {
      async complete(tx, outcome) {
        // From here on the transaction locks the row.
        endRenewals();
        const carriedOut = outcomeOf(vault, name.keyHmac, outcome);
        if (!(await o.store.complete(tx, name, claimId, carriedOut))) throw inFlight(leaseEnd(o.clock));
      },
      release() {
        endRenewals();
        return o.store.release(name, claimId);
      },
      close() {
        endRenewals();
        vault.close();
      },
    };
  }

  const nameOf = (vault: AccountVault, { accountId, owner, route, key }: NamedRequest): RequestName => ({
    accountId,
    keyHmac: vault.requestHmac('key', owner, route, key),
  });

  return {
    isCarriedOut: (request: NamedRequest): Promise<boolean> =>
      withAccountVault(o, request.accountId, async (vault) => {
        const known = await o.store.find(nameOf(vault, request), new Date(o.clock.now()));
        return known !== null && known.state !== 'claimed';
      }),
    async begin(request: KeyedRequest): Promise<{ readonly answer: string } | { readonly claim: Claim }> {
      const { accountId, target, bodySha256 } = request;
      // Opened before the effect's transaction, which must not wait for a second connection.
      const vault = await openAccountVault(o.keyRing, o.random, accountId);
      let held = false;
      try {
        const name = nameOf(vault, request);
        const requestHmac = vault.requestHmac('request', target, bodySha256);
        const claimId = o.ids.nextUuid();
        // If it was made and the answer lost on the way, its lease ends by itself.
        held = await claim(name, requestHmac, claimId);
        if (!held) return { answer: await repeat(name, requestHmac, vault) };
        return { claim: heldClaim(name, claimId, vault) };
      } finally {
        if (!held) vault.close();
      }
    },
    /** Erases the answers about people of a list; repeats of their requests are not carried out again. */
    forgetPeople(tx: Transaction, vault: AccountVault, { accountId, listId }: ListKey, personIds: readonly string[]) {
      const people = personIds.map((personId) => personHmac(vault, listId, personId));
      return o.store.erase(tx, accountId, listId, people);
    },
    /** The same for all people of a list. */
    forgetList: (tx: Transaction, { accountId, listId }: ListKey): Promise<void> =>
      o.store.erase(tx, accountId, listId, null),
    /** Deletes requests older than a day. @returns number of requests */
    purgeExpired: (now: Date) => o.store.purge(now),
  };
}
