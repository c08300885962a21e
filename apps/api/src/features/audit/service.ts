import { userInfo } from 'node:os';
import { type OperationAudit, operations, uuidv7 } from '@svc/protocol';
import type { Transaction } from '../../db/connection.ts';
import { decodeCursor, type Page, type PageRequest, toPage } from '../../platform/paging.ts';
import type { Clock, Ids } from '../../platform/ports.ts';
import type { AuditRecord, AuditStore } from './store.ts';

/**
 * The actor of an act: an organiser's server, a person in its dashboard, a person at the deployment's command line, or the
 * service itself.
 */
export type Actor =
  | { readonly kind: 'api-key'; readonly keyId: string }
  | { readonly kind: 'user'; readonly userId: string }
  | { readonly kind: 'operator'; readonly name: string }
  | { readonly kind: 'system' };

/** The caller's API key, or the actor that uses the account's name. */
export function actorOf(caller: { readonly keyId: string; readonly actor?: Actor }): Actor {
  return caller.actor ?? { kind: 'api-key', keyId: caller.keyId };
}

/** Acts that are not API operations: the operator's and the service's own. */
const actsOfOperator = [
  'account.create',
  'account.suspend',
  'account.resume',
  'account.delete',
  'plan.set',
  'plan.new-period',
  'evidence-retention.set',
  'webhook.disable',
  'kek.rotate',
  'keys.move',
  'signing-key.create',
  'signing-key.rotate',
  'signing-key.retire',
] as const;
export type AuditAction = OperationAudit | (typeof actsOfOperator)[number];

/** The audited acts: those that change an account, a list or a deployment. */
export const auditActions: readonly string[] = [
  ...new Set(operations.flatMap(({ audit = [] }) => audit)),
  ...actsOfOperator,
];

/** One administrative act. */
export interface AuditAct {
  /** Null for an act on the whole deployment. */
  readonly accountId: string | null;
  readonly actor: Actor;
  readonly action: AuditAction;
  /** The id of the affected resource: never a personId or ticketId. */
  readonly target: string;
}

/** An act of a caller in its account. */
export const actOf = (
  caller: { readonly accountId: string; readonly keyId: string; readonly actor?: Actor },
  action: AuditAction,
  target: string,
): AuditAct => ({ accountId: caller.accountId, actor: actorOf(caller), action, target });

export interface AuditEntry extends AuditAct {
  readonly entryId: string;
  readonly recordedAt: Date;
  /** Present name of the user that acted; null for another actor, and once the user was removed. */
  readonly userName: string | null;
}

/** Records administrative acts. */
export type AuditLog = Pick<AuditService, 'record'>;

export type AuditService = ReturnType<typeof createAuditService>;

/** Replaces the account id, so that the table can be sharded by its first column. No account has this id. */
const DEPLOYMENT = 'deployment';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function nameOf(actor: Actor): string | null {
  if (actor.kind === 'api-key') return actor.keyId;
  if (actor.kind === 'user') return actor.userId;
  return actor.kind === 'operator' ? actor.name : null;
}

function toActor({ actorKind, actorName }: AuditRecord): Actor {
  if (actorKind === 'api-key') return { kind: 'api-key', keyId: actorName ?? '' };
  if (actorKind === 'user') return { kind: 'user', userId: actorName ?? '' };
  return actorKind === 'operator' ? { kind: 'operator', name: actorName ?? '' } : { kind: 'system' };
}

/** Lowest id of this millisecond. */
function firstEntryOf(at: Date): string {
  const hex = Buffer.from(uuidv7(Math.max(0, at.getTime()), new Uint8Array(10))).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

export function createAuditService(o: { readonly store: AuditStore; readonly ids: Ids; readonly clock: Clock }) {
  const toEntry = (row: AuditRecord): AuditEntry => ({
    entryId: row.entryId,
    recordedAt: row.recordedAt,
    accountId: row.accountId === DEPLOYMENT ? null : row.accountId,
    actor: toActor(row),
    userName: row.userName,
    // A newer node may have written an action unknown here; it is returned unchanged.
    action: row.action as AuditAction,
    target: row.target,
  });
  return {
    /** @param tx the act's own transaction, so that both are committed or neither; null when the act has none */
    record: (tx: Transaction | null, { accountId, actor, action, target }: AuditAct): Promise<void> =>
      o.store.insert(tx, {
        accountId: accountId ?? DEPLOYMENT,
        entryId: o.ids.nextUuid(),
        recordedAt: new Date(o.clock.now()),
        actorKind: actor.kind,
        actorName: nameOf(actor),
        action,
        target,
      }),
    /**
     * Newest first.
     * @param accountId null for acts on the whole deployment
     * @param request `since` omits older entries, `until` those of this time and later
     * @throws ServiceError 'invalid-request' for a foreign cursor
     */
    async page(
      accountId: string | null,
      { cursor, limit, since, until }: PageRequest & { since?: Date | undefined; until?: Date | undefined },
    ): Promise<Page<AuditEntry>> {
      const end = until === undefined ? undefined : firstEntryOf(until);
      // A cursor is an entry before the end.
      const before = decodeCursor(cursor, (key) => UUID.test(key)) ?? end;
      const from = since === undefined ? undefined : firstEntryOf(since);
      const rows = await o.store.page(accountId ?? DEPLOYMENT, { before, from }, limit + 1);
      return toPage(rows, limit, (row) => row.entryId, toEntry);
    },
  };
}

/** The current OS user; in a container it may have no name. */
export function operator(): Actor {
  try {
    return { kind: 'operator', name: userInfo().username };
  } catch {
    return { kind: 'operator', name: 'unknown' };
  }
}
