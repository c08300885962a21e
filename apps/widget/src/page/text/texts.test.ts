import { readdirSync } from 'node:fs';
import { photoRefusals } from '@svc/protocol';
import { messageFaults } from '@svc/ui/message-faults';
import { expect, it } from 'vitest';
import { hints } from '../../ports.ts';
import { endings } from '../flow/state.ts';
import { stageText } from '../screens/camera-stage.tsx';
import { endingTitle } from '../screens/end-screens.tsx';
import en from './en.json';
import { texts } from './index.ts';

const wordings = new URL('../../../../api/src/features/wording/texts/', import.meta.url);
const filesBelow = (folder: URL) => readdirSync(folder, { recursive: true, encoding: 'utf8' });

it.each(texts.languages)('the texts in %s are whole and clean', async (language) => {
  expect(messageFaults(language, (await texts.load(language)).messages, en)).toEqual([]);
});

it('there are texts in every language of the wordings', () => {
  const offered = filesBelow(wordings)
    .map((path) => /^\w\w-v\d+[/\\](\w+)\.ts$/.exec(path)?.[1])
    .filter((name) => name !== undefined);
  expect(new Set(offered).size).toBeGreaterThan(5);
  for (const language of offered) expect(texts.languages).toContain(language);
});

it('attempts are counted in the plural of the language', async () => {
  const { say } = await texts.load('pl');
  const counted = [1, 2, 5].map((count) => say('camera.attempts', { count }));
  expect(counted).toEqual(['Pozostała 1 próba', 'Pozostały 2 próby', 'Pozostało 5 prób']);
});

it('there is a text for every problem, with advice', () => {
  const said = [
    ...hints.map((hint) => stageText('adjusting', hint, true)),
    ...photoRefusals.flatMap((why) => [`refused.${why}`, `refused.${why}-do`]),
    ...endings.flatMap((why) => [endingTitle(why), `ended.${why}-do`]),
  ];
  expect(said.filter((key) => !(key in en))).toEqual([]);
});
