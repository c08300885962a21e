import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { version } from '../../package.json';
import { errorCodes, errorTable } from '../errors.ts';
import { organiserEndpoints, otherEndpoints, personEndpoints } from '../operations/endpoints.ts';
import { agedChanges, type Fresh, freshChanges } from '../operations/fresh.ts';
import { operations } from '../operations/operations.ts';
import { WEBHOOK_TEST_TYPE, webhookEventTypes } from '../operations/webhooks.ts';
import { buildOpenApiDocument } from './document.ts';
import { errorCodesOf } from './responses.ts';

type Json = { [key: string]: Json } & string;
const document = buildOpenApiDocument() as unknown as Json;

function* references(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === '$ref' && typeof value === 'string') yield value;
    else yield* references(value);
  }
}

function resolve(reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((node, part) => (node as Json | undefined)?.[part], document);
}

describe('OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(buildOpenApiDocument() as Record<string, unknown>);
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
    expect(document.openapi).toMatch(/^3\.1\./);
  });

  it('is the same at every call and plain JSON', () => {
    expect(JSON.parse(JSON.stringify(buildOpenApiDocument()))).toEqual(buildOpenApiDocument());
  });

  it('bears the product’s version', () => {
    expect(document.info?.version).toBe(version);
  });

  it('tells of every notification that a webhook may get', () => {
    const types = [...webhookEventTypes, WEBHOOK_TEST_TYPE];
    expect(Object.keys(document.webhooks ?? {}).sort()).toEqual([...types].sort());
  });

  it('has no reference to nowhere', () => {
    const all = [...references(document)];
    expect(all.length).toBeGreaterThan(50);
    expect(all.filter((reference) => resolve(reference) === undefined)).toEqual([]);
  });

  it('names each operation once and gives it a place of its own', () => {
    expect(operations.map((o) => o.operationId).sort()).toEqual(
      Object.keys({ ...organiserEndpoints, ...personEndpoints, ...otherEndpoints }).sort(),
    );
    expect(new Set(operations.map((o) => `${o.method} ${o.path}`)).size).toBe(operations.length);
  });

  it.each(operations.map((o) => [o.operationId, o] as const))('%s is whole', (_id, operation) => {
    const described = document.paths?.[operation.path]?.[operation.method] as unknown as {
      summary: string;
      security: unknown[];
      responses: Record<string, { headers: object; content?: Record<string, { schema: unknown; examples: object }> }>;
    };
    expect(described.summary.length).toBeGreaterThan(3);
    const credentials = { none: 0, apiKey: 2, session: 1, guestToken: 1, deviceToken: 1 };
    expect(described.security).toHaveLength(credentials[operation.security]);
    const parameters = operation.parameters.filter((p) => p.in === 'path').map((p) => p.name);
    expect(parameters).toEqual([...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
    for (const code of errorCodesOf(operation)) {
      const content = described.responses[String(errorTable[code].status)]?.content?.['application/problem+json'];
      expect(content?.schema).toMatchObject({ $ref: '#/components/schemas/Problem' });
      expect(content?.examples).toHaveProperty(code);
    }
    for (const response of Object.values(described.responses)) expect(response.headers).toHaveProperty('X-Request-Id');
  });

  it.each(operations.map((o) => [o.operationId, o] as const))('%s has examples that its schemas take', (_id, o) => {
    const { request, success, method, takes } = o;
    for (const { schema, example } of [request, success].filter((part) => part !== undefined)) {
      if (example !== undefined) expect(schema?.safeParse(example).error).toBeUndefined();
    }
    // The client uses these to detect collections.
    expect(success.schema instanceof z.ZodObject && 'nextCursor' in success.schema.shape).toBe(takes === 'page');
    expect(method === 'delete' && success.status !== 204).toBe(false);
  });

  it('tells how to erase a person who withdrew consent', () => {
    const parameters = operations.find((o) => o.operationId === 'deletePerson')?.parameters;
    expect(parameters?.find((p) => p.in === 'query')).toMatchObject({
      name: 'reason',
      required: false,
      schema: { const: 'consent-withdrawn' },
    });
  });

  it('shows where each code of the table can be met, but for those that belong to no operation', () => {
    const met = new Set(operations.flatMap((operation) => errorCodesOf(operation)));
    expect(errorCodes.filter((code) => !met.has(code))).toEqual(['method-not-allowed']);
  });

  it('documents requests as they are sent: what has a default may be absent', () => {
    const consent = document.components?.schemas?.Consent as unknown as { required: string[] };
    expect(consent.required).not.toContain('under16');
    expect(consent.required).toContain('writtenRelease');
  });
});

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Properties of a schema at any depth, once for each form that one can have. */
function propertiesIn(node: object | null): [name: string, JsonSchema][] {
  const { properties = {} } = (node ?? {}) as { readonly properties?: Readonly<Record<string, JsonSchema>> };
  const own = Object.entries(properties).flatMap(([name, schema]) =>
    (schema.anyOf ?? [schema]).map((form): [string, JsonSchema] => [name, form]),
  );
  const below = Object.values(node ?? {}).filter((value) => typeof value === 'object');
  return [...own, ...below.flatMap(propertiesIn)];
}

const formsOf = (io: 'input' | 'output', schema: z.ZodType = z.never()) =>
  propertiesIn(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));

/** Texts of answers, besides those that were sent, that nobody can use; the CSRF token needs the session's cookie. */
const PLAIN =
  /^(id|rpId|csrfToken|(display|organiser)?name|email|replyTo|ticketId|personId|(default)?language|timeZone|place|region|billingCurrency|(api|kiosk|widget)Url|sdkVersion|engine|passiveCheck)$/i;

/** What an operation sends to or shows, or that it deletes, with an old session; its rule says why. */
const EXCUSED: Readonly<Record<string, readonly string[]>> = {
  ...{ setWidgetSettings: ['privacyNoticeUrl'], replaceWidgetSettings: ['privacyNoticeUrl'] },
  createWidgetPreview: ['privacyNoticeUrl', 'token', 'url'],
  // Links of people who are not enrolled.
  ...{ createEnrolmentToken: ['token', 'url'], createEnrolmentTokenBatch: ['token', 'url'], createMailing: ['email'] },
  beginReauthentication: ['challenge'],
  // A notification, which holds no secret.
  pullWebhookEvents: ['body'],
  // Of problems, which repeat nothing.
  enrolPeople: ['detail', 'measured', 'parameter', 'pointer', 'requestId', 'title'],
};
const TAKES_AWAY = /^(revoke(EnrolmentToken|Device|ApiKey|UserSessions|OwnSession)|signOut|deleteWebhook)$/;

describe('a change by a person', () => {
  const decided: Readonly<Record<string, Fresh | string>> = { ...agedChanges, ...freshChanges };
  const changes = operations.flatMap(({ operationId: id, method, request, success }) => {
    const sent = formsOf('input', request?.schema);
    const secrets = formsOf('output', success.schema).filter(
      ([name, form]) =>
        [form.type].flat().includes('string') &&
        !('enum' in form || 'const' in form || 'format' in form || /^\^[a-z]{3}_\[/.test(form.pattern ?? '')) &&
        !(PLAIN.test(name) || sent.some(([each]) => each === name)),
    );
    const addresses = sent.flatMap(([name, { format }]) =>
      format === 'uri' || format === 'email' || name === 'email' ? name : [],
    );
    const rule = decided[id];
    return rule === undefined ? [] : [{ id, method, request, secrets, addresses, rule }];
  });

  it.each(changes)('$id is fresh, or says why an old session is enough', (change) => {
    const { id, method, request, secrets, addresses, rule } = change;
    const named = typeof rule === 'object' ? rule : [];
    const open = [...secrets.map(([name]) => name), ...addresses.filter((name) => !named.includes(name))];
    expect(rule === true ? [] : [...new Set(open)].sort()).toEqual(EXCUSED[id] ?? []);
    if (method === 'delete' && rule !== true) expect(id).toMatch(TAKES_AWAY);
    // A reason is more than a word, which is the operation that takes the change back.
    const isWord = typeof rule === 'string' && rule !== 'replacing' && !rule.includes(' ');
    if (isWord) expect(operations.map(({ operationId }) => operationId)).toContain(rule);
    // What takes itself back says to what.
    if (rule === id) expect(request).toBeDefined();
  });

  it('is found by what its schemas hold', () => {
    const ids = (found: 'secrets' | 'addresses') => changes.flatMap((each) => (each[found].length > 0 ? each.id : []));
    expect(ids('secrets')).toEqual(expect.arrayContaining(['addDevice', 'createWebhook', 'createEnrolmentLinks']));
    expect(ids('addresses')).toEqual(expect.arrayContaining(['updateWebhook', 'updateList', 'createMailing']));
  });
});
