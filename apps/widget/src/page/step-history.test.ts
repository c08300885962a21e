import { beforeEach, describe, expect, it } from 'vitest';
import { type KeptTicks, noBoxes, type Place } from './flow/state.ts';
import { createStepHistory } from './step-history.ts';

/** A window's history; going takes a while, as in a browser. */
class FakeHistory extends EventTarget {
  entries: unknown[] = [null];
  at = 0;
  going: number[] = [];
  readonly history: History;
  /** Itself at top level. */
  parent: EventTarget = this;
  isFramed = false;

  constructor() {
    super();
    const view = this;
    this.history = {
      get state() {
        return view.entries[view.at];
      },
      pushState(state: unknown) {
        view.entries = [...view.entries.slice(0, view.at + 1), structuredClone(state)];
        view.at += 1;
      },
      replaceState(state: unknown) {
        view.entries[view.at] = structuredClone(state);
      },
      go: (by: number) => view.going.push(by),
    } as unknown as History;
  }

  arrive(by: number): void {
    this.at += by;
    this.dispatchEvent(Object.assign(new Event('popstate'), { state: this.entries[this.at] }));
  }

  /** Lets what the page asked for happen. */
  settle(): void {
    for (let by = this.going.shift(); by !== undefined; by = this.going.shift()) this.arrive(by);
  }
}

const ticks: KeptTicks = { wordingSha256: 'a', boxes: { ...noBoxes, writtenRelease: true } };
let view: FakeHistory;
let steps: ReturnType<typeof createStepHistory>;
let moves: Place[];

/** Opens the page, or reloads it. */
function load(follow: (place: Place) => void = () => undefined): void {
  moves = [];
  const { entries, at, isFramed } = view;
  view = Object.assign(new FakeHistory(), { entries, at, isFramed });
  if (isFramed) view.parent = new EventTarget();
  steps = createStepHistory(view as never, (place) => {
    moves.push(place);
    follow(place);
  });
}
const places = () => view.entries.map((entry) => (entry as { svc?: string } | null)?.svc);

beforeEach(() => {
  view = new FakeHistory();
  load();
});

describe('the browser’s history', () => {
  it('has an entry for each place, and Back goes one back', () => {
    load((place) => steps.show(place, ticks));
    for (const place of ['consent', 'camera', 'check'] as const) steps.show(place, ticks);
    expect(places()).toEqual(['consent', 'camera', 'check']);
    view.arrive(-1);
    expect(moves).toEqual(['camera']);
    view.arrive(-1);
    expect(moves).toEqual(['camera', 'consent']);
    expect([view.at, view.going]).toEqual([0, []]);
  });

  it('returns to where the flow is if the flow does not follow: nothing is sent again', () => {
    for (const place of ['consent', 'camera', 'check'] as const) steps.show(place, ticks);
    view.arrive(-1);
    view.settle();
    expect([view.at, places()]).toEqual([2, ['consent', 'camera', 'check']]);
    // Forward is as harmless.
    view.arrive(-2);
    steps.show('consent', ticks);
    view.settle();
    view.arrive(1);
    view.settle();
    expect(view.at).toBe(0);
  });

  it('goes back itself where the flow does', () => {
    for (const place of ['consent', 'camera', 'check', 'camera'] as const) steps.show(place, ticks);
    expect(view.going).toEqual([-1]);
    // Meanwhile nothing is pushed.
    steps.show('check', ticks);
    view.settle();
    expect([view.at, places(), moves]).toEqual([2, ['consent', 'camera', 'check'], []]);
  });

  it('is left by Back once the flow is over, holds no ticks, and tells a reload how it ended', () => {
    const outcome = { why: 'enrolled', about: null } as const;
    for (const place of ['consent', 'camera', 'check', 'done'] as const) steps.show(place, ticks, outcome);
    view.settle();
    expect(view.at).toBe(0);
    expect(view.entries[0]).toEqual({ svc: 'over', ticks: null, outcome });
    // Nor do those that Forward leads to.
    expect(JSON.stringify(view.entries)).not.toContain('wordingSha256');
    view.arrive(1);
    view.settle();
    expect(view.at).toBe(0);
    load();
    expect(steps.outcome).toEqual(outcome);
  });

  it('is not moved at the end in a frame, where the page around may go elsewhere at that moment', () => {
    view.isFramed = true;
    load();
    for (const place of ['consent', 'camera', 'check', 'done'] as const) steps.show(place, ticks);
    expect([view.at, view.going]).toEqual([2, []]);
    expect(JSON.stringify(view.entries)).not.toContain('wordingSha256');
    view.arrive(-1);
    view.arrive(-1);
    expect([view.at, view.going, places()]).toEqual([0, [], ['over', 'over', 'over']]);
  });

  it('keeps the ticks of a wording over a reload, at every place', () => {
    expect(steps.kept).toBe(null);
    steps.show('consent', ticks);
    steps.show('camera', ticks);
    load();
    expect(steps.kept).toEqual(ticks);
    steps.show('consent', ticks);
    view.settle();
    expect([view.at, moves]).toEqual([0, []]);
  });

  it.each([null, { svc: 'elsewhere' }, { svc: 'over', ticks: { wordingSha256: 'a', boxes: null }, outcome: {} }])(
    'is not believed: %j',
    (state) => {
      view.entries = [state];
      load();
      expect([steps.kept, steps.outcome]).toEqual([null, null]);
    },
  );

  it('is believed as far as it holds booleans', () => {
    view.entries = [{ svc: 'consent', ticks: { wordingSha256: 'a', boxes: { under16: 'yes', extra: true } } }];
    load();
    expect(steps.kept).toEqual({ wordingSha256: 'a', boxes: noBoxes });
  });
});
