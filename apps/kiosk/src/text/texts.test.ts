import { promptHints, promptKeys, syncFailures, verdictReasons } from '@svc/device-sdk';
import { placeholdersOf } from '@svc/ui/text';
import { describe, expect, it } from 'vitest';
import { promptText } from '../screens/attempt-screen.tsx';
import { newStatus, readyStatus } from '../testing/sample-states.ts';
import { de } from './de.ts';
import { en, type TextKey } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it as italian } from './it.ts';
import { nl } from './nl.ts';
import { pl } from './pl.ts';
import { connectionText, notReadyText, reasonText, syncFailureText } from './reasons.ts';
import { sv } from './sv.ts';
import { texts } from './texts.ts';

const keys = Object.keys(en) as TextKey[];

describe.each(Object.entries({ de, es, fr, it: italian, nl, pl, sv }))('the texts in %s', (language, own) => {
  it('are all there, and no others', () => {
    expect(Object.keys(own).sort()).toEqual([...keys].sort());
    expect(texts.languages).toContain(language);
  });

  it('have the values of the English ones, and are no longer than a screen has room for', () => {
    for (const key of keys) {
      expect(placeholdersOf(own[key]), key).toEqual(placeholdersOf(en[key]));
      expect(own[key].trim(), key).not.toBe('');
      expect(own[key].length, key).toBeLessThan(16 + 2 * en[key].length);
    }
  });

  it('are translated', () => {
    const same = keys.filter((key) => own[key] === en[key] && !/\{/.test(en[key]));
    expect(same.length, same.join()).toBeLessThan(8);
  });
});

it('there is a text for everything that the device SDK says', () => {
  const known = new Set<string>(keys);
  const said = [
    ...Object.values(verdictReasons)
      .flat()
      .flatMap((reason) => reasonText[reason] ?? []),
    ...verdictReasons.LeaseExpired.map(notReadyText),
    ...verdictReasons.Expired.map(notReadyText),
    ...syncFailures.flatMap((failure) => syncFailureText(failure) ?? []),
    ...promptKeys.map((key) => promptText({ key, progress: 0, remainingMs: 0 })),
    ...promptHints.map((hint) => `attempt.${hint}`),
  ];
  expect(said.filter((key) => !known.has(key))).toEqual([]);
  for (const reason of Object.values(verdictReasons).flat()) expect(reason in reasonText, reason).toBe(true);
});

it('nothing tells apart what a check of liveness found', () => {
  const judged = verdictReasons.LivenessFailed.filter((reason) => reason !== 'never-scorable');
  expect(new Set(judged.map((reason) => reasonText[reason])).size).toBe(1);
});

it('a visit that could never be judged has words of its own', () => {
  const others = Object.entries(reasonText).filter(([reason]) => reason !== 'never-scorable');
  expect(others.map(([, text]) => text)).not.toContain(reasonText['never-scorable']);
});

it('a list that still serves is spoken of only where it does', () => {
  expect(connectionText(null)).toBeNull();
  expect(connectionText(readyStatus)).toBeNull();
  expect(connectionText({ ...readyStatus, connection: 'offline' })).toBe('app.offline');
  expect(connectionText({ ...newStatus, connection: 'offline' })).toBe('app.no-connection');
});
