import { readdirSync } from 'node:fs';
import { mailTemplateSchema } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { mailTexts } from './texts.ts';

const widgetTexts = new URL('../../../../widget/src/page/text/', import.meta.url);

it('there are texts in each language of the widget', () => {
  const spoken = readdirSync(widgetTexts).flatMap((name) => /^(\w+)\.json$/.exec(name)?.[1] ?? []);
  expect(Object.keys(mailTexts).toSorted()).toEqual(spoken.toSorted());
});

describe.each(Object.entries(mailTexts))('%s', (_language, texts) => {
  it.each(['invitation', 'reminder'] as const)('%s has everything that a guest needs', (kind) => {
    expect(mailTemplateSchema.safeParse(texts[kind]).error).toBeUndefined();
    expect(texts[kind].subject).toContain('{event}');
    for (const name of ['event', 'organiser', 'link', 'deadline', 'privacy']) {
      expect(texts[kind].text).toContain(`{${name}}`);
    }
  });
});
