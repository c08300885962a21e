import { readdirSync } from 'node:fs';
import { photoRefusals } from '@svc/protocol';
import { placeholdersOf } from '@svc/ui/text';
import { describe, expect, it } from 'vitest';
import { hints } from '../../ports.ts';
import { endings } from '../flow/state.ts';
import { hintText } from '../screens/camera-screen.tsx';
import { de } from './de.ts';
import { en, type TextKey } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it as italian } from './it.ts';
import { nl } from './nl.ts';
import { pl } from './pl.ts';
import { sv } from './sv.ts';
import { languages, loadTexts } from './texts.ts';

const keys = Object.keys(en) as TextKey[];
const wordings = new URL('../../../../api/src/features/wording/texts/', import.meta.url);

describe.each(Object.entries({ de, es, fr, it: italian, nl, pl, sv }))('the texts in %s', (language, own) => {
  it('are all there, and no others', async () => {
    expect(Object.keys(own).sort()).toEqual([...keys].sort());
    const found = languages.find((known) => known === language);
    expect(found).toBeDefined();
    if (found) expect((await loadTexts(found))('check.send')).toBe(own['check.send']);
  });

  it('have the values of the English ones, and are no longer than a step has room for', () => {
    for (const key of keys) {
      expect([...placeholdersOf(own[key])].sort(), key).toEqual([...placeholdersOf(en[key])].sort());
      expect(own[key].trim(), key).not.toBe('');
      expect(own[key].length, key).toBeLessThan(16 + 2 * en[key].length);
    }
  });

  it('are translated', () => {
    const same = keys.filter((key) => own[key] === en[key] && !/\{/.test(en[key]));
    expect(same.length, same.join()).toBeLessThan(8);
  });

  it('are clean: composed, without stray spaces or straight quotes', () => {
    for (const key of keys) {
      expect(own[key], key).toBe(own[key].normalize('NFC').trim());
      expect(own[key], key).not.toMatch(/ {2}|["'\t\n]/);
    }
  });
});

it('there are texts in every language that a wording is in', () => {
  const offered = readdirSync(wordings, { recursive: true, encoding: 'utf8' })
    .map((path) => /^\w\w-v\d+[/\\](\w+)\.ts$/.exec(path)?.[1])
    .filter((name) => name !== undefined);
  expect(new Set(offered).size).toBeGreaterThan(5);
  for (const language of offered) expect(languages).toContain(language);
});

it('there is a text for everything that can be the matter, and what to do', () => {
  const known = new Set<string>(keys);
  const said = [
    ...hints.map(hintText),
    hintText(null),
    hintText('unknown'),
    ...photoRefusals.flatMap((why) => [`refused.${why}`, `refused.${why}-do`]),
    ...endings.flatMap((why) => [`ended.${why}`, `ended.${why}-do`]),
  ];
  expect(said.filter((key) => !known.has(key))).toEqual([]);
});
