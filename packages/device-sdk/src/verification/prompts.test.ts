import { describe, expect, it } from 'vitest';
import { AT, back, face, facts, frontal, noFace, OPENED, paused, several, turn } from '../testing/attempt-fixtures.ts';
import { transition } from './machine.ts';
import type { AttemptEvent, AttemptState, Facts } from './states.ts';

const promptOf = (state: AttemptState, event: AttemptEvent) =>
  transition(state, event).effects.flatMap((effect) => (effect.type === 'prompt' ? [effect.prompt] : []))[0];

const light = { outcome: 'answered' } as const;
const litHead = { room: 2, hasTurned: false };

describe('prompts', () => {
  it.each([
    ['frontal', frontal(), face({ hint: 'step-back' }), { key: 'look-at-camera', hint: 'step-back' }],
    [
      'the turn',
      turn(),
      face({ hint: 'more-light', yawDeg: 10 }),
      { key: 'turn-head', direction: 'left', hint: 'more-light' },
    ],
    ['the way back', back(), face({ hint: 'come-closer', yawDeg: 20 }), { key: 'look-back', hint: 'come-closer' }],
  ])('keep what is asked in %s and put the hint beside it', (_stage, state, event, expected) => {
    expect(promptOf(state, event)).toMatchObject(expected);
  });

  it.each([
    [2.9, 'step-back'],
    [3, 'hold-still'],
  ])('where nobody watches, ask for more of the room with %d, and then for stillness', (room, hint) => {
    const alone = (over: Partial<Facts> = {}) => facts({ attendance: 'unattended', ...over });
    const doubtful = face({ room, evidence: 0.4 });
    expect(promptOf(frontal({ facts: alone() }), doubtful)?.hint).toBe(hint);
    expect(promptOf(frontal({ facts: alone() }), face({ room }))).not.toHaveProperty('hint');
    expect(promptOf(frontal(), doubtful)).not.toHaveProperty('hint');
    const unlit = frontal({ facts: alone({ lightAsked: true }) });
    expect(promptOf(unlit, doubtful)).not.toHaveProperty('hint');
    expect(promptOf(unlit, doubtful)).toMatchObject({ light: true });
    expect(promptOf(unlit, noFace)).toMatchObject({ next: 'light' });
  });

  it('where nobody watches, ask nobody to step back who is lit, unless too near to be scored', () => {
    const lit = facts({ attendance: 'unattended', lightAsked: true, sequences: 1 });
    const [near, tooNear] = [face({ hint: 'step-back' }), face({ hint: 'step-back', passive: null })];
    for (const state of [frontal({ facts: lit }), turn({ facts: { ...lit, light, litHead } })]) {
      expect(promptOf(state, near)).not.toHaveProperty('hint');
      expect(promptOf(state, tooNear)).toMatchObject({ hint: 'step-back' });
    }
  });

  it('have no hint if nothing needs to change', () => {
    expect(promptOf(frontal(), face())).not.toHaveProperty('hint');
    expect(promptOf(frontal(), several())).toMatchObject({ key: 'one-person-only' });
  });

  it('ask for the person after three seconds without a face, until there is one', () => {
    const empty = frontal({ facts: facts({ faceSeenAtMs: null }) });
    const at = (ms: number) => ({ ...noFace, atMs: OPENED + ms });
    expect(promptOf(empty, at(2_999))?.key).toBe('look-at-camera');
    const asked = transition(empty, at(3_000));
    expect(asked.effects).toMatchObject([{ type: 'prompt', prompt: { key: 'step-into-view' } }]);
    expect(transition(asked.state, at(3_100)).effects).toEqual([]);
    expect(promptOf(asked.state, face({ atMs: OPENED + 3_200 }))?.key).toBe('look-at-camera');
    const left = frontal({ facts: facts({ faceSeenAtMs: OPENED + 4_000 }) });
    expect(promptOf(left, at(6_999))?.key).toBe('look-at-camera');
    expect(promptOf(left, at(7_000))?.key).toBe('step-into-view');
  });

  it('are not repeated while nothing changes for the person', () => {
    const first = transition(turn(), face({ yawDeg: 10 }));
    expect(first.effects.filter(({ type }) => type === 'prompt')).toHaveLength(1);
    expect(transition(first.state, face({ yawDeg: 10.1, atMs: AT + 60 })).effects).toEqual([]);
    expect(transition(first.state, face({ yawDeg: 20, atMs: AT + 60 })).effects).toHaveLength(1);
    const waiting = transition(paused(), several());
    expect(transition(waiting.state, several()).effects).toEqual([]);
  });

  it('show a third for each stage, and within the turn how far it is', () => {
    const progress = (yawDeg: number) => promptOf(turn(), face({ yawDeg, parallax: 0 }))?.progress;
    expect([progress(-5), progress(0), progress(12.5), progress(24), progress(60)]).toEqual([
      0.3, 0.3, 0.5, 0.65, 0.65,
    ]);
    expect(promptOf(back(), face({ yawDeg: 20 }))?.progress).toBe(0.65);
  });
});
