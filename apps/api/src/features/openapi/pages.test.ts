import { buildOpenApiDocument, errorCodes, operations, problemType } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { escapeHtml, inline } from './html.ts';
import { renderErrorPage, renderReferencePage } from './reference-page.ts';
import { schemaTable, typeOf } from './schema-table.ts';

describe('pages for people', () => {
  it('answer every problem type with a paragraph', () => {
    const html = renderErrorPage();
    for (const code of errorCodes) expect(html).toContain(`id="${problemType(code).split('#')[1]}"`);
  });

  it('describe every operation and every schema once', () => {
    const html = renderReferencePage();
    const { components } = buildOpenApiDocument() as { components: { schemas: object } };
    const ids = [
      ...operations.map((o) => o.operationId),
      ...Object.keys(components.schemas).map((name) => `schema-${name}`),
    ];
    for (const id of ids) expect(html.split(`id="${id}"`)).toHaveLength(2);
  });

  it('have no link to nowhere', () => {
    const html = renderReferencePage();
    const targets = [...html.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]);
    expect(targets.length).toBeGreaterThan(100);
    for (const target of new Set(targets)) expect(html).toContain(`id="${target}"`);
    const codes = [...html.matchAll(/href="\/docs\/errors#([^"]+)"/g)].map((match) => match[1]);
    for (const code of new Set(codes)) expect(errorCodes).toContain(code);
  });

  it('run nothing and load nothing', () => {
    for (const html of [renderErrorPage(), renderReferencePage()]) {
      expect(html).not.toMatch(/<(script|link|img|iframe|object|form)\b|\s(src|style|on\w+)=|@import|url\(/i);
    }
  });

  it('escape what could be markup', () => {
    expect(escapeHtml(`<a b="c" d='e'>&`)).toBe('&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;');
    expect(inline('is `<b>` bold')).toBe('is <code>&lt;b&gt;</code> bold');
  });
});

describe('a schema in words', () => {
  it.each([
    [{ type: 'string', minLength: 1, maxLength: 200 }, 'string, 1 to 200 characters'],
    [{ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, 'integer, from 0'],
    [{ type: 'string', format: 'date-time' }, 'string (date-time)'],
    [{ type: ['string', 'null'] }, 'string or null'],
    [{ type: 'string', pattern: '^lst_[0-7]' }, '<code>lst_…</code>'],
    [{ anyOf: [{ $ref: '#/components/schemas/List' }, { type: 'null' }] }, '<a href="#schema-List">List</a> or null'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, 'array of <code>&quot;a&quot;</code> <code>&quot;b&quot;</code>'],
    [{ enum: Array.from({ length: 249 }, (_, i) => i) }, 'one of 249 values'],
  ])('%j', (schema, words) => {
    expect(typeOf(schema)).toBe(words);
  });

  it('shows objects where they stand', () => {
    const inner = { type: 'object', properties: { number: { type: 'integer' } } };
    const html = schemaTable(
      { properties: { period: { anyOf: [inner, { type: 'null' }] } }, required: ['period'] },
      'required',
    );
    expect(html).toContain('<code>period</code> <span class="required">required</span>');
    expect(html).toContain('<code>period.number</code>');
  });
});
