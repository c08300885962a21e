import * as z from 'zod';
import {
  exampleId,
  idSchema,
  nameSchema,
  pageQuerySchema,
  requestSchemas,
  responseSchemas,
  timestampInputSchema,
  timestampSchema,
} from '../common.ts';
import { MAX_API_KEYS } from '../limits.ts';
import { metadataChangeSchema, metadataFilterSchema, metadataSchema } from '../metadata.ts';
import type { Descriptions } from './descriptions.ts';
import { apiKeyScopes } from './endpoints.ts';
import { EXAMPLE_USAGE, planNames, usageSchema } from './usage.ts';

const scopesSchema = z
  .array(z.enum(apiKeyScopes))
  .min(1)
  .max(apiKeyScopes.length)
  .refine((scopes) => new Set(scopes).size === scopes.length, { error: 'must name each scope only once' })
  .meta({ uniqueItems: true });

/** Body of creating an API key; without `scopes` it gets the rights of the key that creates it. */
const createApiKeyRequestSchema = z
  .object({
    name: nameSchema,
    scopes: scopesSchema
      .nullable()
      .optional()
      .describe('rights of the key. null: all rights. Default: those of the key or person that creates it'),
    expiresAt: timestampInputSchema
      .nullable()
      .optional()
      .describe('when the key expires. null or left out: with the key that creates it, or never'),
    metadata: metadataChangeSchema,
  })
  .register(requestSchemas, { id: 'CreateApiKeyRequest' });

/** Fields to change; absent ones stay. A key keeps its rights and its end. */
const updateApiKeyRequestSchema = z
  .object({ name: nameSchema.optional(), metadata: metadataChangeSchema })
  .register(requestSchemas, { id: 'UpdateApiKeyRequest' });
export type UpdateApiKeyRequest = z.infer<typeof updateApiKeyRequestSchema>;

const apiKeySchema = z
  .object({
    keyId: idSchema('key'),
    name: z.string(),
    scopes: scopesSchema.nullable().describe('rights of the key; null: all rights, including future ones'),
    state: z.enum(['active', 'expired', 'revoked']),
    createdAt: timestampSchema,
    expiresAt: timestampSchema.nullable().describe('when the key expires; null: never'),
    lastUsedAt: timestampSchema.nullable().describe('when the key was last used, accurate to the hour; null if never'),
    revokedAt: timestampSchema.nullable().describe('when the key was revoked; null if it was not'),
    metadata: metadataSchema.optional(),
  })
  .register(responseSchemas, { id: 'ApiKey' });
export type ApiKeyResource = z.infer<typeof apiKeySchema>;

/** Whose request it is. */
const ownApiKeySchema = z
  .object({
    account: z.object({ accountId: idSchema('acc'), name: z.string() }),
    key: apiKeySchema.nullable().describe('the API key of the request; null for a person’s session'),
    plan: z.enum(planNames).nullable().describe('null: the account has no plan, so no one can be enrolled'),
    usage: usageSchema.nullable().describe('as returned by `GET /v1/usage`; null without the scope `account:read`'),
  })
  .register(responseSchemas, { id: 'OwnApiKey' });
export type OwnApiKey = z.infer<typeof ownApiKeySchema>;

/** Answer of creating an API key; the key itself is never shown again. */
const createdApiKeySchema = apiKeySchema
  .extend({
    apiKey: z.string().meta({ pattern: '^svc[kt]_[0-9A-Za-z]{49}$', description: 'only shown in this response' }),
  })
  .register(responseSchemas, { id: 'CreatedApiKey' });
export type CreatedApiKey = z.infer<typeof createdApiKeySchema>;

const EXAMPLE_KEY = {
  keyId: exampleId('key'),
  name: 'Ticket shop',
  scopes: ['people:write', 'lists:read'],
  state: 'active',
  createdAt: '2026-05-01T18:30:00.000Z',
  expiresAt: '2027-05-01T00:00:00.000Z',
  lastUsedAt: null,
  revokedAt: null,
  metadata: { system: 'shop-2' },
};

export const apiKeyOperations = {
  getOwnApiKey: {
    summary: 'Read the API key of the request',
    description:
      'Returns the key’s account, name, rights and expiry, and the plan. Works for any key, whatever its scopes. For a person’s session, `key` is null.',
    success: {
      description: 'account, key and plan',
      schema: ownApiKeySchema,
      example: {
        account: { accountId: exampleId('acc'), name: 'Concerts Ltd' },
        key: EXAMPLE_KEY,
        plan: EXAMPLE_USAGE.plan,
        usage: null,
      },
    },
  },
  createApiKey: {
    summary: 'Create an API key',
    description: `The response is the only one that shows the key. The key cannot have scopes that its creator lacks, and expires with its creator at the latest. An account can have ${MAX_API_KEYS} keys that are neither revoked nor expired.`,
    request: { schema: createApiKeyRequestSchema, example: { name: EXAMPLE_KEY.name, scopes: EXAMPLE_KEY.scopes } },
    success: {
      status: 201,
      description: 'created; the key is shown only once',
      schema: createdApiKeySchema,
      example: { ...EXAMPLE_KEY, expiresAt: null, apiKey: 'svck_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklm' },
    },
    errors: ['api-key-limit-reached'],
    audit: 'api-key.create',
  },
  listApiKeys: {
    summary: 'List API keys',
    description: 'Returns one page, newest first, including revoked and expired keys, but without the secrets.',
    query: pageQuerySchema.extend({ metadata: metadataFilterSchema }),
    success: { description: 'a page of API keys', schema: apiKeySchema, example: EXAMPLE_KEY },
  },
  updateApiKey: {
    summary: 'Rename an API key, or change its metadata',
    description: 'Fields that you leave out stay. You cannot change scopes and expiry; create another key instead.',
    request: { schema: updateApiKeyRequestSchema, example: { name: EXAMPLE_KEY.name } },
    success: { description: 'the API key', schema: apiKeySchema, example: EXAMPLE_KEY },
    audit: 'api-key.update',
  },
  revokeApiKey: {
    summary: 'Revoke an API key',
    description: 'The key stops working at once. It can be the key of this request. Revoking again changes nothing.',
    success: { status: 204, description: 'revoked' },
    audit: 'api-key.revoke',
  },
} satisfies Descriptions;
