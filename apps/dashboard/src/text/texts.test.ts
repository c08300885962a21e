import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Messages } from '@svc/page-kit';
import { messageFaults } from '@svc/page-kit/message-faults';
import { expect, it } from 'vitest';
import en from './generated/en.json';
import { languages, plain, say, speak, type TextKey } from './index.ts';

const files = import.meta.glob<Messages<TextKey>>('./*.json', { base: './generated', import: 'default' });

it.each(languages)('the texts in %s are whole and clean', async (language) => {
  const messages = await files[`./${language}.json`]?.();
  expect(messages).toBeDefined();
  if (messages === undefined) return;
  const faults = messageFaults(language, messages, en as never);
  // A few words are the same in both, such as «Team».
  expect(faults.filter((fault) => !fault.startsWith('not translated: '))).toEqual([]);
  const own = Object.entries(messages).filter(([key, text]) => text !== (en as Messages<string>)[key]);
  // «anmelden» is to sign in, «registrieren» to enrol, «koppeln» to pair.
  const others = own.filter(([key]) => language === 'de' && !/^(errors|sign-in|me|users|audit)\./.test(key));
  expect(JSON.stringify(others)).not.toMatch(/anmeld|angemeld|aufgenommen|Tür(en)? verbind|verbinden Sie eine Tür/i);
  if (language !== 'en') expect(own.length).toBeGreaterThan(0.9 * Object.keys(en).length);
});

it('a language is spoken', async () => {
  await speak('de');
  expect(say('app.type-name', { name: 'Sommerfest' })).toContain('Sommerfest');
  expect([say('guests.field.email'), plain(say('guests.field.email'))]).toEqual(['E\u2011Mail', 'E-Mail']);
});

it('every text is used', () => {
  const root = join(import.meta.dirname, '..');
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(join(root, name), 'utf8'))
    .join('\n');
  // A key may be put together: `errors.${code}`, `roles.${role}.help`.
  const patterns = [...sources.matchAll(/`([a-z-]+\.[^`\s]*\$\{[^`\s]*)`/g)].map(
    ([, text = '']) => new RegExp(`^${text.replace(/[.*+?^()|[\]\\]/g, '\\$&').replace(/\$\{[^}]*\}/g, '[\\w.-]+')}$`),
  );
  const isUsed = (key: string) => sources.includes(`'${key}'`) || patterns.some((pattern) => pattern.test(key));
  // `words` finds the help to a name.
  expect(Object.keys(en).filter((key) => !isUsed(key) && !isUsed(key.replace(/-help$/, '')))).toEqual([]);
});
