import { describe, expect, it } from 'vitest';
import {
  AT,
  back,
  compared,
  face,
  facts,
  frontal,
  noFace,
  samples,
  several,
  turn,
} from '../testing/attempt-fixtures.ts';
import { transition } from './machine.ts';
import { type AttemptEvent, type AttemptState, noComparisons } from './states.ts';

const after = (state: AttemptState, ...events: readonly AttemptEvent[]): AttemptState =>
  events.reduce((before, event) => transition(before, event).state, state);

describe('a pending comparison', () => {
  const asked = frontal({ comparisons: { ...noComparisons, pending: true, lastAtMs: AT - 50 } });

  it('counts for the face that was compared', () => {
    expect(after(asked, compared(true)).name).toBe('turn');
    expect(after(asked, face(), compared(true)).name).toBe('turn');
  });

  it.each<[string, readonly AttemptEvent[]]>([
    ['another face came', [face({ track: 'new' })]],
    ['the face left', [noFace]],
    ['the face left and came back', [noFace, face({ track: 'new' })]],
    ['another face came among several', [several('new'), face()]],
    ['it was lost among several', [several('lost'), face()]],
  ])('counts for nobody once %s', (_what, between) => {
    expect(after(asked, ...between, compared(true)).name).toBe('frontal');
  });

  it('does not keep the next face from being compared', () => {
    const scored = frontal({ comparisons: asked.comparisons, facts: facts({ estimate: samples(0.95) }) });
    const newcomer = Array.from({ length: 5 }, (_, i) =>
      face({ track: i === 0 ? 'new' : 'same', atMs: AT + 300 + i * 60 }),
    );
    const before = after(scored, ...newcomer.slice(0, -1));
    const { effects } = transition(before, newcomer.at(-1) ?? noFace);
    expect(effects).toContainEqual({ type: 'compare', pose: 'frontal', probe: 'first' });
  });
});

describe('a pending turned comparison', () => {
  const asking = { turned: { ...noComparisons, pending: true, lastAtMs: AT - 50 } };
  const turning = turn({ ...asking, asked: { completesTurn: true, missCounts: true } });

  it('completes the turn of the face that was compared', () => {
    expect(after(turning, compared(true)).name).toBe('return');
    expect(after(turning, face({ yawDeg: 20 }), compared(true)).name).toBe('return');
  });

  it('is ignored once two faces were in view', () => {
    expect(after(turning, several('same'), compared(true), face({ yawDeg: 5 }), compared(true)).name).toBe('turn');
    expect(after(turning, several('same'), compared(false), face({ yawDeg: 5 })).name).toBe('turn');
    const coming = after(back(asking), several('same'), compared(false), face({ yawDeg: 5 }));
    expect(coming.name).toBe('return');
  });

  it('never counts as the second match', () => {
    expect(after(back(asking), compared(true), compared(true)).name).toBe('return');
  });
});
