import { promptHints, promptKeys, syncFailures, verdictReasons } from '@svc/device-sdk';
import { messageFaults } from '@svc/page-kit/message-faults';
import { expect, it } from 'vitest';
import { promptText } from '../screens/attempt-screen.tsx';
import { newStatus, readyStatus } from '../testing/sample-states.ts';
import en from './en.json';
import { texts } from './index.ts';
import { connectionText, notReadyText, reasonText, syncFailureText } from './reasons.ts';

it.each(texts.languages)('the texts in %s are whole and clean', async (language) => {
  expect(messageFaults(language, (await texts.load(language)).messages, en)).toEqual([]);
});

it('there is a text for every state and reason of the device SDK', () => {
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
  expect(said.filter((key) => !(key in en))).toEqual([]);
  for (const reason of Object.values(verdictReasons).flat()) expect(reason in reasonText, reason).toBe(true);
});

it('findings of the liveness checks all read the same', () => {
  const judged = verdictReasons.LivenessFailed.filter((reason) => reason !== 'never-scorable');
  expect(new Set(judged.map((reason) => reasonText[reason])).size).toBe(1);
});

it('a visit that could not be judged has its own text', () => {
  const others = Object.entries(reasonText).filter(([reason]) => reason !== 'never-scorable');
  expect(others.map(([, text]) => text)).not.toContain(reasonText['never-scorable']);
});

it('only texts for which the list still serves mention it', () => {
  expect(connectionText(null, null)).toBeNull();
  expect(connectionText(readyStatus, null)).toBeNull();
  expect(connectionText(readyStatus, true)).toBeNull();
  expect(connectionText(readyStatus, false)).toBe('app.offline');
  expect(connectionText({ ...readyStatus, connection: 'offline' }, true)).toBe('app.offline');
  expect(connectionText({ ...newStatus, connection: 'offline' }, null)).toBe('app.no-connection');
});
