import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { componentName } from './common.ts';
import { buildComponents } from './openapi/document.ts';
import { operations } from './operations/operations.ts';
import { requestObjects, unknownParameters, validateBody } from './validation.ts';

const withBody = operations.flatMap(({ operationId, request }) =>
  request === undefined ? [] : [{ operationId, name: componentName(request.schema), ...request }],
);

/** A value with nested objects along the pointer; the innermost has an unknown member. */
function strangerAt(pointer: string): object {
  const parts = pointer.split('/').slice(1);
  return parts.reduceRight<object>((inner, part) => (part === '*' ? [inner] : { [part]: inner }), { stranger: 1 });
}

describe('no operation takes a member that it does not know', () => {
  it.each(withBody)('$operationId', ({ schema, example }) => {
    const objects = requestObjects(schema);
    expect(objects[0]).toBe('');
    for (const at of objects) {
      const pointer = `${at.replaceAll('*', '0')}/stranger`;
      const result = validateBody(schema, strangerAt(at));
      expect(result).toMatchObject({ ok: false, code: 'unknown-parameter', errors: [{ pointer }] });
    }
    if (example !== undefined) {
      expect(validateBody(schema, { ...example, underSixteen: true })).toMatchObject({ code: 'unknown-parameter' });
    }
  });

  it('and the document says so', () => {
    const components = buildComponents() as Record<string, { additionalProperties?: boolean }>;
    expect(withBody.length).toBeGreaterThan(8);
    for (const { name } of withBody) expect([name, components[name]?.additionalProperties]).toEqual([name, false]);
    expect(components.Consent?.additionalProperties).toBe(false);
    expect(components.Person?.additionalProperties).toBeUndefined();
  });

  it('nor may a request be made of what is not looked into', () => {
    for (const schema of [
      z.record(z.string(), z.object({})),
      z.union([z.object({}), z.string()]),
      z.any(),
      z.unknown(),
    ])
      expect(() => requestObjects(z.object({ inner: schema }))).toThrow();
  });
});

describe('an unknown member', () => {
  const schema = z.object({ list: z.array(z.object({ a: z.string() })).optional() });

  it('is named, wherever it is, before anything else is looked at', () => {
    expect(validateBody(schema, { list: [{ a: 1 }, { a: 'x', b: 1 }], 'c-d': null })).toEqual({
      ok: false,
      code: 'unknown-parameter',
      errors: [
        { pointer: '/list/1/b', detail: 'is not known' },
        { pointer: '/c-d', detail: 'is not known' },
      ],
    });
  });

  it.each(['', 'a b', 'x'.repeat(65), 'é', '/9j/', '\n'])('is not repeated where it is %j', (name) => {
    expect(validateBody(schema, { [name]: 1 })).toMatchObject({
      errors: [{ pointer: '', detail: 'has a member that is not known' }],
    });
    expect(unknownParameters(new Set(), { [name]: '1' })).toEqual([
      { detail: 'the query has a parameter that is not known' },
    ]);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('may be called %s', (name) => {
    const body: unknown = JSON.parse(`{"${name}": {"list": []}}`);
    expect(validateBody(schema, body)).toMatchObject({ errors: [{ pointer: `/${name}` }] });
  });

  it('of a query is named, a known one not', () => {
    expect(unknownParameters(new Set(['limit']), { limit: '1', retaindays: '2' })).toEqual([
      { parameter: 'retaindays', detail: 'is not known' },
    ]);
  });
});
