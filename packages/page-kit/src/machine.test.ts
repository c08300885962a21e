import { expect, it } from 'vitest';
import { Machine } from './machine.ts';

type Effect = { readonly add: number } | 'dispose';

/** Adds numbers up; an even sum below ten is followed by one more. */
function adding() {
  const done: string[] = [];
  const machine: Machine<number, number, Effect> = new Machine({
    initial: 0,
    transition: (sum: number, event: number) => {
      const state = sum + event;
      const effects: readonly Effect[] = state % 2 === 0 && state < 10 ? [{ add: 1 }, { add: 2 }] : [];
      return { state, effects: event < 0 ? ['dispose', { add: 1 }] : effects };
    },
    carryOut(effect) {
      done.push(`${JSON.stringify(effect)} at ${machine.state}`);
      if (effect === 'dispose') machine.dispose();
      else machine.dispatch(effect.add);
    },
  });
  return { machine, done };
}

it('tells listeners of each state, and then starts its effects', () => {
  const { machine, done } = adding();
  const told: number[] = [];
  const stop = machine.subscribe((sum) => void told.push(sum));
  machine.dispatch(1);
  expect([machine.state, told, done]).toEqual([1, [1], []]);
  stop();
  machine.dispatch(2);
  expect([machine.state, told]).toEqual([3, [1]]);
});

it('an event of an effect waits for the other effects of its event', () => {
  const { machine, done } = adding();
  machine.dispatch(8);
  // The two effects of 8, and none of 9 and 11.
  expect(done).toEqual(['{"add":1} at 8', '{"add":2} at 8']);
  expect(machine.state).toBe(11);
});

it('does and tells nothing once it is disposed of', () => {
  const { machine, done } = adding();
  const told: number[] = [];
  machine.subscribe((sum) => void told.push(sum));
  machine.dispatch(-1);
  machine.dispatch(5);
  expect([machine.state, machine.isDisposed, told, done]).toEqual([-1, true, [-1], ['"dispose" at -1']]);
});
