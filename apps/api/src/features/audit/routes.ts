import { type AuditEntryResource, auditQuerySchema } from '@svc/protocol';
import type { Router } from 'express';
import type { Guard } from '../../http/guard.ts';
import { readQuery } from '../../http/query.ts';
import { mount } from '../../http/routing.ts';
import type { AccountCaller } from '../accounts/service.ts';
import type { AuditEntry, AuditService } from './service.ts';

/** The name of an operator stays with the operators. */
const toResource = ({ entryId, recordedAt, actor, action, target }: AuditEntry): AuditEntryResource => ({
  id: entryId,
  recordedAt: recordedAt.toISOString(),
  actor: { kind: actor.kind, keyId: actor.kind === 'api-key' ? actor.keyId : null },
  action,
  target,
});

export function mountAuditLog(
  router: Router,
  o: { readonly audit: AuditService; readonly account: Guard<AccountCaller> },
): void {
  mount(router, '/v1/audit-log', {
    get: o.account.call(async ({ caller, request, response }) => {
      const { since, ...page } = readQuery(request, auditQuerySchema);
      const { items, nextCursor } = await o.audit.page(caller.accountId, {
        ...page,
        since: since === undefined ? undefined : new Date(since),
      });
      response.json({ items: items.map(toResource), nextCursor });
    }),
  });
}
