import { type Boxes, endings, type KeptTicks, noBoxes, type Outcome, type Place, places } from './flow/state.ts';

/** What an entry of the browser's history holds: which place of the flow it is, the guest's ticks, how it ended. Never a photo. */
interface Entry {
  readonly svc: Place | 'over';
  readonly ticks: KeptTicks | null;
  readonly outcome: Outcome | null;
}

const ticksOf = (value: unknown): KeptTicks | null => {
  const { wordingSha256, boxes } = (value ?? {}) as Partial<Record<keyof KeptTicks, unknown>>;
  if (typeof wordingSha256 !== 'string' || typeof boxes !== 'object' || boxes === null) return null;
  const given = boxes as Partial<Record<keyof Boxes, unknown>>;
  const names = Object.keys(noBoxes) as (keyof Boxes)[];
  return { wordingSha256, boxes: Object.fromEntries(names.map((name) => [name, given[name] === true])) as never };
};

const outcomeIn = (value: unknown): Outcome | null => {
  const { why, about = null } = (value ?? {}) as Partial<Outcome>;
  return why !== undefined && endings.includes(why) ? { why, about } : null;
};

function entryOf(value: unknown): Entry | null {
  const { svc, ticks, outcome } = (value ?? {}) as Partial<Record<keyof Entry, unknown>>;
  const place = svc === 'over' ? 'over' : places.find((one) => one === svc);
  return place === undefined ? null : { svc: place, ticks: ticksOf(ticks), outcome: outcomeIn(outcome) };
}

const depthOf = (place: Place | 'over'): number => (place === 'over' || place === 'done' ? 0 : places.indexOf(place));

/**
 * The flow's places as entries of the browser's history, so that Back goes one step back.
 * @param view the window
 * @param onMove the guest went to another place; the flow may follow by `show`, or the history returns to where it is
 */
export function createStepHistory(
  view: Pick<Window, 'history' | 'addEventListener' | 'parent'>,
  onMove: (place: Place) => void,
) {
  const { history } = view;
  const first = entryOf(history.state);
  /** Of the current entry. */
  let depth = first === null ? 0 : depthOf(first.svc);
  let wanted: Entry = first ?? { svc: 'consent', ticks: null, outcome: null };
  /** Going to another entry takes a while; the entries are not touched meanwhile. */
  let isGoing = false;

  /** Only the current entry can be written. Those behind it have none: the flow knows them, or starts anew. */
  function forgetTicks(): void {
    const entry = entryOf(history.state);
    if (entry !== null && entry.ticks !== null) history.replaceState({ ...entry, ticks: null } satisfies Entry, '');
  }

  function settle(): void {
    if (isGoing) return;
    const target = depthOf(wanted.svc);
    if (target < depth) {
      if (wanted.svc === 'over' && view.parent !== view) {
        // The page around may go elsewhere now that it knows, and moving would move it as well.
        depth = target;
        history.replaceState(wanted, '');
        return;
      }
      isGoing = true;
      if (wanted.svc === 'over') forgetTicks();
      history.go(target - depth);
      return;
    }
    while (depth < target) {
      forgetTicks();
      depth += 1;
      history.pushState({ ...wanted, svc: places[depth] ?? 'over' } satisfies Entry, '');
    }
    if (JSON.stringify(history.state) !== JSON.stringify(wanted)) history.replaceState(wanted, '');
  }

  view.addEventListener('popstate', ({ state }) => {
    const entry = entryOf(state);
    // An entry of somebody else, as of a changed fragment.
    if (entry === null) return;
    depth = depthOf(entry.svc);
    const wasGoing = isGoing;
    isGoing = false;
    if (!wasGoing && entry.svc !== 'over') onMove(entry.svc);
    settle();
  });

  return {
    /** The guest's ticks from before a reload; null if there are none. */
    kept: first?.ticks ?? null,
    /** How the flow ended before a reload; null if it goes on. */
    outcome: first?.outcome ?? null,
    /** The flow shows a place; null: it is over, and Back leaves the page. */
    show(place: Place | null, ticks: KeptTicks | null, outcome: Outcome | null = null) {
      const isEnd = place === null || place === 'done';
      wanted = isEnd ? { svc: 'over', ticks: null, outcome } : { svc: place, ticks, outcome: null };
      settle();
    },
  };
}
