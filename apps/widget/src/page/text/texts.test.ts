import { readFileSync } from 'node:fs';
import { messageFaults } from '@svc/page-kit/message-faults';
import { expect, it } from 'vitest';
import en from './generated/en.json';
import { texts } from './index.ts';

const wordings = new URL('../../../../api/src/features/wording/texts/eu-v2.json', import.meta.url);

it.each(texts.languages)('the texts in %s are whole and clean', async (language) => {
  expect(messageFaults(language, (await texts.load(language)).messages, en)).toEqual([]);
});

it('there are texts in every language of the wordings', () => {
  const offered = Object.keys(JSON.parse(readFileSync(wordings, 'utf8')));
  expect(new Set(offered).size).toBeGreaterThan(5);
  for (const language of offered) expect(texts.languages).toContain(language);
});
