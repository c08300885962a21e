import type { AuditEntryResource, UsageResource } from '@svc/protocol';
import type { CallOptions, Http } from '../http.ts';
import type { Collection, PageRequest } from '../pages.ts';

export interface UsageMethods {
  /** People on the bill, plan and limit. */
  getUsage(options?: CallOptions): Promise<UsageResource>;
  /** Who did what to the account, newest first. */
  listAuditEntries(
    query?: PageRequest & { readonly since?: string | undefined },
    options?: CallOptions,
  ): Collection<AuditEntryResource>;
}

export const usageMethods = (http: Http): UsageMethods => ({
  getUsage: (options) => http.json({ method: 'GET', path: '/v1/usage', options }),
  listAuditEntries: (query, options) => http.collection('/v1/audit-log', query, options),
});
