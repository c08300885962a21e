import * as z from 'zod';
import { idSchema, pageQuerySchema, responseSchemas, timestampInputSchema, timestampSchema } from '../common.ts';
import type { Descriptions } from './descriptions.ts';

/** The actor of an act; operators' names are visible to operators only. */
const actorSchema = z.object({
  kind: z.enum(['api-key', 'user', 'operator', 'system']).describe('`system`: the service itself'),
  keyId: idSchema('key').nullable().describe('the API key that acted; null for others'),
  userId: idSchema('usr').nullable().describe('the dashboard user who acted; null for others'),
  name: z.string().nullable().describe('the user’s current name; null if no user acted, or once the user was removed'),
});

/** One administrative act. */
const auditEntrySchema = z
  .object({
    id: z.uuid(),
    recordedAt: timestampSchema,
    actor: actorSchema,
    action: z.string().describe('what was done, for example `list.close`; later versions can add values'),
    target: z.string().describe('ID of the resource concerned; never a personId'),
  })
  .register(responseSchemas, { id: 'AuditEntry' });
export type AuditEntryResource = z.infer<typeof auditEntrySchema>;

/** Query of the audit log. */
const auditQuerySchema = pageQuerySchema.extend({
  since: timestampInputSchema.optional().describe('only entries at or after this time; ISO 8601 in UTC, ending in `Z`'),
  until: timestampInputSchema.optional().describe('only entries before this time; ISO 8601 in UTC, ending in `Z`'),
});

const entry = {
  id: '01970aa7-7800-7083-9a2c-5f1d3e4b6a70',
  recordedAt: '2026-05-01T18:30:00.000Z',
  actor: { kind: 'api-key', keyId: 'key_01jwnafy00e2rbg3vfk4s6q9tz', userId: null, name: null },
  action: 'list.close',
  target: 'lst_01jwnafy00e2rbg3vfk4s6q9tz',
} as const;

export const auditOperations = {
  listAuditEntries: {
    summary: 'Read the audit log',
    description:
      'Returns one page of all administrative actions on the account and its resources, newest first: by API keys, dashboard users, the operator and the service itself. Entries are never changed or removed, and never contain a personId.',
    query: auditQuerySchema,
    success: { description: 'a page of entries', schema: auditEntrySchema, example: entry },
  },
} satisfies Descriptions;
