import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { wrongDeprecations } from './deprecation.ts';
import { buildOpenApiDocument } from './openapi/document.ts';
import { operations } from './operations/operations.ts';

const deprecated = { since: '2027-01-01', sunset: '2028-01-01', successor: 'listAuditEntries' };
const withDeprecation = (changed: Partial<typeof deprecated> | { readonly successor: null } = {}) =>
  operations.map((one) =>
    one.operationId === 'getUsage' ? { ...one, deprecated: { ...deprecated, ...changed } } : one,
  );

describe('deprecations', () => {
  it('of the table give a year’s notice and name what to call instead', () => {
    expect(wrongDeprecations(operations)).toEqual([]);
    expect(wrongDeprecations(withDeprecation())).toEqual([]);
    expect(wrongDeprecations(withDeprecation({ successor: null }))).toEqual([]);
  });

  it.each([
    [{ sunset: '2027-12-31' }, 'getUsage: 2027-12-31 is too soon after 2027-01-01'],
    [{ sunset: '2028-02-30T' }, 'getUsage: 2028-02-30T is too soon after 2027-01-01'],
    [{ successor: 'getBill' }, 'getUsage: getBill is no operation'],
    [{ successor: 'getUsage' }, 'getUsage: getUsage is deprecated too'],
  ])('%j is refused', (changed, reason) => {
    expect(wrongDeprecations(withDeprecation(changed))).toEqual([reason]);
  });

  it('are in the document: marked, described, with their headers at every answer', async () => {
    const document = buildOpenApiDocument(withDeprecation()) as {
      readonly paths: Record<string, Record<string, { deprecated?: true; description: string; responses: object }>>;
    };
    const { get } = document.paths['/v1/usage'] ?? {};
    expect(get?.deprecated).toBe(true);
    expect(get?.description).toMatch(/Deprecated since 2027-01-01; .* Call `listAuditEntries` instead\.$/);
    for (const { headers } of Object.values<{ headers: object }>(get?.responses as never))
      expect(Object.keys(headers)).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'Link']));
    const result = await new Validator().validate(document as unknown as Record<string, unknown>);
    expect(result.errors).toBeUndefined();
    const others = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    expect(others.filter((one) => one.deprecated)).toEqual([get]);
  });
});
