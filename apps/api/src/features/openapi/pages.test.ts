import { errorCodes, operations, problemType } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { escapeHtml, inline } from './html.ts';
import { renderErrorPage, renderReferencePage } from './pages.ts';

describe('pages for people', () => {
  it('answer every problem type with a paragraph', () => {
    const html = renderErrorPage();
    for (const code of errorCodes) expect(html).toContain(`id="${problemType(code).split('#')[1]}"`);
  });

  it('describe every operation once', () => {
    const html = renderReferencePage();
    for (const { operationId } of operations) expect(html.split(`id="${operationId}"`)).toHaveLength(2);
  });

  it('run nothing and load nothing', () => {
    for (const html of [renderErrorPage(), renderReferencePage()]) {
      expect(html).not.toMatch(/<script|<link|<img|src=|https?:/i);
    }
  });

  it('escape what could be markup', () => {
    expect(escapeHtml(`<a b="c" d='e'>&`)).toBe('&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;');
    expect(inline('is `<b>` bold')).toBe('is <code>&lt;b&gt;</code> bold');
  });
});
