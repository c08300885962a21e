import * as z from 'zod';
import { idSchema, pageQuerySchema, responseSchemas, timestampInputSchema, timestampSchema } from '../common.ts';
import type { Descriptions } from './descriptions.ts';

/** The actor of an act; operators' names are visible to operators only. */
const actorSchema = z.object({
  kind: z.enum(['api-key', 'user', 'operator', 'system']),
  keyId: idSchema('key').nullable().describe('the API key, where one acted'),
  userId: idSchema('usr').nullable().describe('the person in the dashboard, where one acted'),
  name: z.string().nullable().describe('that person’s present name; null once the user was removed'),
});

/** One administrative act. */
const auditEntrySchema = z
  .object({
    id: z.uuid(),
    recordedAt: timestampSchema,
    actor: actorSchema,
    action: z.string().describe('what was done, for example `list.close`; later versions may add more'),
    target: z.string().describe('identifier of what was acted on; never a person’s'),
  })
  .register(responseSchemas, { id: 'AuditEntry' });
export type AuditEntryResource = z.infer<typeof auditEntrySchema>;

/** Query of the audit log. */
const auditQuerySchema = pageQuerySchema.extend({
  since: timestampInputSchema.optional().describe('leaves out what is older; ISO 8601 in UTC, ending in Z'),
  until: timestampInputSchema.optional().describe('leaves out what is as late or later; ISO 8601 in UTC, ending in Z'),
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
    summary: 'Read who did what to the account',
    description:
      'Every administrative act on the account and what is in it, by its own API keys, its people in the dashboard and the operator of the service, newest first. Never changed, never removed; people on lists are not named in it.',
    query: auditQuerySchema,
    success: { description: 'a page of acts', schema: auditEntrySchema, example: entry },
  },
} satisfies Descriptions;
