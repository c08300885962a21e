import { describe, expect, it } from 'vitest';
import { readyHarness, recorded, visit } from './testing/device-harness.ts';
import type { Head } from './testing/fake-engine.ts';

/** In `visit`: the first turning frame, and the frame after the last turned one. */
const TURN = { from: 8, until: 16 };

/** A visit with another person in the same place from one frame up to another. */
function swapped(direction: 'left' | 'right', from: number, until: number): Head[] {
  return visit(1, direction).map((head, i) => (i >= from && i < until ? { ...head, who: 2 } : head));
}

async function outcomeOf(direction: 'left' | 'right', scenes: readonly Head[]): Promise<string> {
  const { harness, device } = await readyHarness();
  harness.direction = direction;
  return (await device.verifyLiveAsync('ticket-1', recorded(scenes))).outcome;
}

describe.each(['left', 'right'] as const)('another person in exactly the same place, turning %s', (direction) => {
  const frames = visit(1, direction).length;
  const moments = Array.from({ length: TURN.until - TURN.from }, (_, i) => TURN.from + i);

  it('would be a Match without the swap', async () => {
    expect(await outcomeOf(direction, swapped(direction, 0, 0))).toBe('Match');
  });

  it.each(moments)('from frame %i on is never let in', async (from) => {
    expect(['ChallengeFailed', 'NoMatch']).toContain(await outcomeOf(direction, swapped(direction, from, frames)));
  });

  it.each(moments)('from frame %i until the head is back is never let in', async (from) => {
    // One single frame, the last one, lies between two comparisons; see “What this does not stop” in the guide.
    const until = from === TURN.until - 1 ? frames : TURN.until;
    expect(await outcomeOf(direction, swapped(direction, from, until))).not.toBe('Match');
  });

  it('in the frame that completes the turn is never let in, however short', async () => {
    const completing = visit(1, direction).findIndex(({ yawDeg = 0 }) => Math.abs(yawDeg) >= 25);
    const scenes = swapped(direction, completing, completing + 1);
    expect(await outcomeOf(direction, scenes)).toBe('ChallengeFailed');
  });

  it('who turns too fast to be compared on the way is compared at its end', async () => {
    const fast = visit(1, direction).filter(({ yawDeg = 0 }) => Math.abs(yawDeg) < 10 || Math.abs(yawDeg) > 25);
    const held = fast.flatMap((head) => (Math.abs(head.yawDeg ?? 0) > 25 ? [head, head] : [head]));
    const other = held.map((head) => (Math.abs(head.yawDeg ?? 0) > 25 ? { ...head, who: 2 } : head));
    expect(await outcomeOf(direction, held)).toBe('Match');
    expect(await outcomeOf(direction, other)).toBe('ChallengeFailed');
  });
});
