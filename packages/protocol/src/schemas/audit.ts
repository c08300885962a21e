import * as z from 'zod';
import { collectionSchema, idSchema, pageQuerySchema, timestampInputSchema, timestampSchema } from './common.ts';

/** Who did something; who an operator is by name is told to operators alone. */
const actorSchema = z.object({
  kind: z.enum(['api-key', 'operator', 'system']),
  keyId: idSchema('key').nullable().meta({ description: 'the API key, where one acted' }),
});

/** One administrative act. */
export const auditEntrySchema = z.object({
  id: z.uuid(),
  recordedAt: timestampSchema,
  actor: actorSchema,
  action: z.string().meta({ description: 'what was done, for example `list.close`; later versions may add more' }),
  target: z.string().meta({ description: 'identifier of what was acted on; never a person’s' }),
});
export type AuditEntryResource = z.infer<typeof auditEntrySchema>;

export const auditEntryCollectionSchema = collectionSchema(auditEntrySchema);

/** Query of the audit log. */
export const auditQuerySchema = pageQuerySchema.extend({ since: timestampInputSchema.optional() });
