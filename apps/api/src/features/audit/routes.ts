import { mapPage } from '../../platform/paging.ts';
import type { Handlers } from '../handlers.ts';
import type { AuditEntry, AuditService } from './service.ts';

/** An operator's name is visible to operators only. */
const toResource = ({ entryId, recordedAt, actor, userName, action, target }: AuditEntry) => ({
  id: entryId,
  recordedAt,
  actor: {
    kind: actor.kind,
    keyId: actor.kind === 'api-key' ? actor.keyId : null,
    userId: actor.kind === 'user' ? actor.userId : null,
    name: userName,
  },
  action,
  target,
});

const timeOf = (text: string | undefined) => (text === undefined ? undefined : new Date(text));

export const auditHandlers = (o: { readonly audit: AuditService }) =>
  ({
    async listAuditEntries({ caller, query: { since, until, ...page } }) {
      const range = { since: timeOf(since), until: timeOf(until) };
      return mapPage(await o.audit.page(caller.accountId, { ...page, ...range }), toResource);
    },
  }) satisfies Partial<Handlers>;
