import type { AuditEntryResource } from '@svc/protocol';
import type { Handlers } from '../handlers.ts';
import type { AuditEntry, AuditService } from './service.ts';

/** An operator's name is visible to operators only. */
const toResource = ({ entryId, recordedAt, actor, userName, action, target }: AuditEntry): AuditEntryResource => ({
  id: entryId,
  recordedAt: recordedAt.toISOString(),
  actor: {
    kind: actor.kind,
    keyId: actor.kind === 'api-key' ? actor.keyId : null,
    userId: actor.kind === 'user' ? actor.userId : null,
    name: userName,
  },
  action,
  target,
});

export const auditHandlers = (o: { readonly audit: AuditService }) =>
  ({
    async listAuditEntries({ caller, query: { since, until, ...page } }) {
      const { items, nextCursor } = await o.audit.page(caller.accountId, {
        ...page,
        since: since === undefined ? undefined : new Date(since),
        until: until === undefined ? undefined : new Date(until),
      });
      return { items: items.map(toResource), nextCursor };
    },
  }) satisfies Partial<Handlers>;
