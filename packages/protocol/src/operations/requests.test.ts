import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { pageQuerySchema, pathParameters } from '../common.ts';
import { consentVersionPublishedAt } from '../consent-version.ts';
import { buildComponents } from '../openapi/document.ts';
import { validateBody, validateQuery } from '../validation.ts';
import { addDeviceRequestSchema } from './devices.ts';
import { createEventRequestSchema } from './events.ts';
import { createListRequestSchema } from './lists.ts';
import { type Operation, operations } from './operations.ts';
import { consentSchema, consentTimeError, enrolPersonRequestSchema, isPersonId } from './people.ts';
import { createWebhookRequestSchema, updateWebhookRequestSchema } from './webhooks.ts';

const EVENT_ID = 'evt_01jwnafy00e2rbg3vfk4s6q9tz';
const consent = {
  consentVersion: 'eu-v2',
  givenAt: '2026-06-01T09:30:00Z',
  explicitBiometricConsent: true,
  writtenRelease: true,
};
const enrolment = { personId: 'T-1', consent, imageBase64: '/9j/' };

/** Pointers of the violated rules; null for a valid body. */
function pointers(body: unknown, schema = enrolPersonRequestSchema as Parameters<typeof validateBody>[0]) {
  const result = validateBody(schema, body);
  return result.ok ? null : result.errors.map((error) => error.pointer);
}

it.each(Object.entries(pathParameters))('%s has no NUL, which no database stores', (_name, schema) => {
  expect(schema.safeParse('a\0b').success).toBe(false);
});

describe('consent', () => {
  it('reads an absent under16 as false', () => {
    expect(consentSchema.parse(consent)).toMatchObject({ under16: false, guardianConsent: false });
  });

  it.each([
    ['an unticked box', { explicitBiometricConsent: false }, ['/consent/explicitBiometricConsent']],
    ['a missing box', { writtenRelease: undefined }, ['/consent/writtenRelease']],
    ['a box ticked in words', { writtenRelease: 'true' }, ['/consent/writtenRelease']],
    ['a box ticked by a number', { explicitBiometricConsent: 1 }, ['/consent/explicitBiometricConsent']],
    ['a child without a guardian', { under16: true }, ['/consent/guardianConsent']],
    ['a child whose guardian refuses', { under16: true, guardianConsent: false }, ['/consent/guardianConsent']],
    ['an age that is no boolean', { under16: null }, ['/consent/under16']],
    ['no version', { consentVersion: undefined }, ['/consent/consentVersion']],
    ['a time with an offset', { givenAt: '2026-06-01T09:30:00+02:00' }, ['/consent/givenAt']],
    ['a local time', { givenAt: '2026-06-01T09:30:00' }, ['/consent/givenAt']],
    ['a day that does not exist', { givenAt: '2026-02-30T09:30:00Z' }, ['/consent/givenAt']],
    ['a form on paper without a hash', { paperForm: { version: '1' } }, ['/consent/paperForm/wordingSha256']],
    ['a number for a time', { givenAt: 1780306200000 }, ['/consent/givenAt']],
  ])('refuses %s', (_what, change, expected) => {
    expect(pointers({ ...enrolment, consent: { ...consent, ...change } })).toEqual(expected);
  });

  it('accepts a child with a guardian', () => {
    expect(pointers({ ...enrolment, consent: { ...consent, under16: true, guardianConsent: true } })).toBeNull();
  });

  it('leaves an unknown version to the list: that is a conflict, not a shape', () => {
    expect(pointers({ ...enrolment, consent: { ...consent, consentVersion: 'eu-v1' } })).toBeNull();
  });

  const publishedMs = Date.parse(consentVersionPublishedAt['eu-v2']);
  const givenAt = (ms: number, consentVersion = 'eu-v2') => ({ consentVersion, givenAt: new Date(ms).toISOString() });

  it('may be given at most five minutes ahead of the clock', () => {
    expect(consentTimeError(givenAt(publishedMs + 5 * 60_000), publishedMs)).toBeNull();
    expect(consentTimeError(givenAt(publishedMs + 5 * 60_000 + 1), publishedMs)).toEqual({
      pointer: '/consent/givenAt',
      detail: 'must not be in the future',
    });
  });

  it('may not be given before its wording was published', () => {
    expect(consentTimeError(givenAt(publishedMs), publishedMs)).toBeNull();
    const early = consentTimeError(givenAt(publishedMs - 1), publishedMs);
    expect(early).toMatchObject({
      pointer: '/consent/givenAt',
      detail: expect.stringContaining('published') as string,
    });
    expect(consentTimeError(givenAt(0), publishedMs)).not.toBeNull();
    const signed = (ms: number) => ({ ...givenAt(ms), paperForm: { version: '1', wordingSha256: '00'.repeat(32) } });
    expect(consentTimeError(signed(publishedMs - 1), publishedMs)).toBeNull();
    expect(consentTimeError(signed(0), publishedMs)).not.toBeNull();
    // An unknown version is refused by the list, not here.
    expect(consentTimeError(givenAt(0, 'eu-v1'), publishedMs)).toBeNull();
  });

  it.each([
    ['missing', undefined],
    ['null', null],
    ['an array', []],
  ])('is an object, not %s', (_what, value) => {
    expect(pointers({ ...enrolment, consent: value })?.[0]).toMatch(/^\/consent/);
  });
});

describe('personId', () => {
  it.each([
    ['one character', 'a'],
    ['200 characters', 'x'.repeat(200)],
    ['200 code points outside the basic plane', '𝒳'.repeat(200)],
    ['characters of a path', '../a b/%2e?#'],
    ['a combining form, as it is', 'e\u0301'],
  ])('may be %s', (_what, id) => {
    expect(isPersonId(id)).toBe(true);
    expect(pointers({ ...enrolment, personId: id })).toBeNull();
  });

  it.each([
    ['empty', ''],
    ['201 characters', 'x'.repeat(201)],
    ['201 code points', '𝒳'.repeat(201)],
    ['a NUL', 'a\0b'],
    ['a lone high surrogate', 'a\ud800'],
    ['a lone low surrogate', '\udc00a'],
    ['surrogates in the wrong order', '\udc00\ud800'],
  ])('may not be %s', (_what, id) => {
    expect(isPersonId(id)).toBe(false);
    expect(pointers({ ...enrolment, personId: id })).toEqual(['/personId']);
  });

  it.each([[12], [null], [undefined], [{}]])('is a string, not %j', (id) => {
    expect(pointers({ ...enrolment, personId: id })).toEqual(['/personId']);
  });
});

describe('imageBase64', () => {
  it('says of a data URL what has to go', () => {
    const result = validateBody(enrolPersonRequestSchema, { ...enrolment, imageBase64: 'data:image/jpeg;base64,/9j/' });
    expect(result.ok ? null : result.errors[0]?.detail).toMatch(/data URL/);
  });

  it('takes fifteen megabytes without running out of stack', () => {
    const text = 'AAAA'.repeat((15 * 2 ** 20) / 4);
    expect(pointers({ ...enrolment, imageBase64: text })).toBeNull();
    expect(pointers({ ...enrolment, imageBase64: `${text.slice(0, -1)}*` })).toEqual(['/imageBase64']);
  });
});

describe('a body of another kind', () => {
  it.each([[null], [[]], ['text'], [7], [undefined]])('is refused as a whole: %j', (body) => {
    expect(pointers(body)).toEqual(['']);
  });

  it.each([{}, { unknown: 'CANARY-7f3a' }])('never echoes a value that was sent', (more) => {
    const canary = 'CANARY-7f3a';
    const result = validateBody(enrolPersonRequestSchema, {
      personId: `\0${canary}`,
      consent: { ...consent, consentVersion: { inner: canary }, givenAt: canary, writtenRelease: canary },
      imageBase64: `${canary}*`,
      ...more,
    });
    expect(result.ok).toBe(false);
    expect(JSON.stringify(result)).not.toContain(canary);
  });
});

describe('events', () => {
  const event = { name: 'Concert', startsAt: '2026-06-20T18:00:00Z', endsAt: '2026-06-20T23:00:00Z' };
  it.each([
    ['whole', {}, null],
    ['with a country', { country: 'DE' }, null],
    ['in a country that is none', { country: 'UK' }, ['/country']],
    ['that ends as it starts', { endsAt: event.startsAt }, ['/endsAt']],
    ['without an end', { endsAt: undefined }, ['/endsAt']],
    ['without a name', { name: '' }, ['/name']],
  ])('%s', (_what, change, expected) => {
    expect(pointers({ ...event, ...change }, createEventRequestSchema)).toEqual(expected);
  });
});

describe('lists', () => {
  it.each([
    ['of an event', { eventId: EVENT_ID }, null],
    ['of an event, kept 30 days', { eventId: EVENT_ID, retainDays: 30 }, null],
    ['of an event, kept too long', { eventId: EVENT_ID, retainDays: 31 }, ['/retainDays']],
    ['ongoing', { ongoing: true }, null],
    ['ongoing, kept 2 days', { ongoing: true, retainDays: 2 }, null],
    ['ongoing, kept too short', { ongoing: true, retainDays: 1 }, ['/retainDays']],
    ['ongoing, kept too long', { ongoing: true, retainDays: 1096 }, ['/retainDays']],
    ['kept half a day', { ongoing: true, retainDays: 2.5 }, ['/retainDays']],
    ['of neither', {}, ['']],
    ['of both', { eventId: EVENT_ID, ongoing: true }, ['']],
    ['not ongoing', { ongoing: false }, ['/ongoing']],
    ['of an event that is none', { eventId: 'evt_1' }, ['/eventId']],
  ])('%s', (_what, change, expected) => {
    expect(pointers({ name: 'L', ...change }, createListRequestSchema)).toEqual(expected);
  });
});

describe('devices', () => {
  it('need no body of any content', () => {
    expect(pointers({}, addDeviceRequestSchema)).toBeNull();
    expect(pointers({ name: 'Gate' }, addDeviceRequestSchema)).toBeNull();
    expect(pointers({ name: 'x'.repeat(201) }, addDeviceRequestSchema)).toEqual(['/name']);
  });
});

describe('pages', () => {
  it('default to 50 items', () => {
    expect(pageQuerySchema.parse({})).toEqual({ limit: 50 });
    expect(pageQuerySchema.parse({ limit: '200', cursor: 'abc' })).toEqual({ limit: 200, cursor: 'abc' });
  });
  it.each(['0', '201', '-1', '1.5', 'x', '', '1e2', '99999'])('refuse a limit of %j', (limit) => {
    const result = validateQuery(pageQuerySchema, { limit });
    expect(result).toMatchObject({ ok: false, errors: [{ parameter: 'limit' }] });
  });
  it('refuse a parameter given twice', () => {
    expect(validateQuery(pageQuerySchema, { limit: ['1', '2'] }).ok).toBe(false);
  });
});

describe('the address of a webhook', () => {
  it.each(['\u0000', '\u001b', '\u007f', '\u0085', '\ud800'])('may not hold %j', (character) => {
    const url = `https://example.com/a${character}b`;
    expect(pointers({ url }, createWebhookRequestSchema)).toEqual(['/url']);
    expect(pointers({ url }, updateWebhookRequestSchema)).toEqual(['/url']);
  });

  it('may hold any other', () => {
    expect(pointers({ url: 'https://example.com/späť/😀?x=1' }, createWebhookRequestSchema)).toBeNull();
  });
});

describe('what is read can be written', () => {
  const writing = operations.filter(({ request }) => request !== undefined);
  const shapeOf = ({ request }: Operation) =>
    (request?.schema instanceof z.ZodObject ? request.schema.shape : {}) as Readonly<Record<string, z.ZodType>>;
  /** The operation that reads what another one writes: at its path, or at that of what it makes. */
  const readerOf = ({ path, method }: Operation) =>
    operations.find(
      (one) =>
        one.method === 'get' &&
        (one.path === path || (method === 'post' && one.path.replace(/\/\{\w+\}$/, '') === path)) &&
        one.takes !== 'page',
    );
  const read = writing.flatMap((operation) => {
    const reader = readerOf(operation);
    return reader === undefined ? [] : [[operation.operationId, operation, reader] as const];
  });

  /** Names of the members at any depth that may be null. */
  function nullable(schema: unknown, names = new Set<string>()): ReadonlySet<string> {
    type Typed = { readonly type?: string | string[]; readonly anyOf?: readonly Typed[] };
    const { properties = {} } = schema as { properties?: Record<string, Typed> };
    for (const [name, property] of Object.entries(properties)) {
      if ([property, ...(property.anyOf ?? [])].flatMap(({ type }) => type).includes('null')) names.add(name);
      nullable(property, names);
    }
    return names;
  }

  it('as null, wherever an answer about the same can hold null', () => {
    const refused = writing.flatMap((operation) => {
      const answers = [operation, readerOf(operation)].flatMap((one) => one?.success.schema ?? []);
      const names = new Set(answers.flatMap((one) => [...nullable(z.toJSONSchema(one, { unrepresentable: 'any' }))]));
      return Object.entries(shapeOf(operation))
        .filter(([name, schema]) => names.has(name) && schema.safeParse(undefined).success)
        .filter(([, schema]) => !schema.safeParse(null).success)
        .map(([name]) => `${operation.operationId}: ${name}`);
    });
    expect(refused).toEqual([]);
    expect(read.length).toBeGreaterThan(8);
  });

  it.each(read)('as it was read: %s', (_id, operation, reader) => {
    const shape = shapeOf(operation);
    const isOptional = ([name]: [string, unknown]) => shape[name]?.safeParse(undefined).success === true;
    const answer = Object.entries(reader.success.example as object).filter(isOptional);
    const body = { ...(operation.request?.example as object), ...Object.fromEntries(answer) };
    expect(pointers(body, operation.request?.schema as Parameters<typeof validateBody>[0])).toBeNull();
  });
});

it('a POST that makes what a GET reads tells where it is', () => {
  const made = operations.filter(({ method, success }) => method === 'post' && success.status === 201);
  const readers = operations.filter(({ method, takes }) => method === 'get' && takes !== 'page');
  const wrong = made.filter(({ success }) => {
    const members = Object.keys((success.schema as z.ZodObject | undefined)?.shape ?? {});
    const isRead = readers.some(({ path }) => members.includes(/\{(\w+)\}$/.exec(path)?.[1] ?? ''));
    return isRead !== (success.headers?.Location !== undefined);
  });
  expect(wrong.map(({ operationId }) => operationId)).toEqual([]);
});

it('what has an identifier has it under one name everywhere', () => {
  const NAMED = /"(\w+)":\{(?:"anyOf":\[\{)?[^{}]*"pattern":"\^(\w+)_\[0-7\]/g;
  const namesOf = new Map<string, string[][]>();
  for (const component of Object.values(buildComponents())) {
    const named = [...JSON.stringify(component).matchAll(NAMED)].map(([, name = '', prefix = '']) => [name, prefix]);
    for (const prefix of new Set(named.map(([, each = '']) => each))) {
      const names = named.filter((each) => each[1] === prefix).map(([name = '']) => name);
      namesOf.set(prefix, [...(namesOf.get(prefix) ?? []), names]);
    }
  }
  const isOne = (all: string[][]) => all[0]?.some((name) => all.every((names) => names.includes(name)));
  expect([...namesOf].filter(([, all]) => !isOne(all))).toEqual([]);
});
