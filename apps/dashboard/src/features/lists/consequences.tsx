import type { ListImpact } from '@svc/protocol';
import { say, type TextKey } from '../../text/index.ts';

export interface Line {
  readonly key: TextKey;
  readonly values?: Readonly<Record<string, string | number>>;
}

/** Writes a time as it is promised to people. @param at ISO 8601 */
type Exact = (at: string) => string;

const DAY_MS = 86_400_000;

/** When an event's list is deleted. @param endsAt ISO 8601 */
export const deadlineOf = (endsAt: string, retainDays: number): string =>
  new Date(Date.parse(endsAt) + retainDays * DAY_MS).toISOString();

const tokensLine = ({ validTokens }: ListImpact): Line[] =>
  validTokens === 0 ? [] : [{ key: 'lists.effect.links-stop', values: { count: validTokens } }];

/** Until when faces are kept: one date, or from the first to the last. */
function untilLine({ people, firstDeleteAfter, lastDeleteAfter }: ListImpact, exact: Exact): Line[] {
  if (people === 0 || firstDeleteAfter === null || lastDeleteAfter === null) return [];
  if (firstDeleteAfter === lastDeleteAfter) {
    return [{ key: 'lists.effect.people-stay', values: { count: people, until: exact(lastDeleteAfter) } }];
  }
  const values = { count: people, from: exact(firstDeleteAfter), until: exact(lastDeleteAfter) };
  return [{ key: 'lists.effect.people-stay-each', values }];
}

export const closeLines = (impact: ListImpact, exact: Exact): readonly Line[] => [
  { key: 'lists.effect.nobody-enrols' },
  ...tokensLine(impact),
  ...untilLine(impact, exact),
  { key: 'lists.effect.doors-go-on', values: { count: impact.devices } },
  { key: 'lists.effect.for-good' },
];

/** What ending a list does: as closing, and its end is told to whoever listens. */
export const endLines = (impact: ListImpact, exact: Exact): readonly Line[] => [
  ...closeLines(impact, exact).slice(0, -1),
  { key: 'lists.effect.end-is-told' },
  { key: 'lists.effect.for-good' },
];

export function deleteLines(impact: ListImpact): readonly Line[] {
  const { people, devices, devicesWithCopy } = impact;
  return [
    { key: 'lists.effect.faces-gone', values: { count: people } },
    ...(devices === 0
      ? []
      : [{ key: 'lists.effect.doors-wipe', values: { count: devices, copies: devicesWithCopy } } as const]),
    ...tokensLine(impact),
    { key: 'lists.effect.ledger-stays' },
    { key: 'lists.effect.for-good' },
  ];
}

export interface MovedEnd {
  /** ISO 8601. */
  readonly before: string;
  readonly after: string;
  readonly retainDays: number;
  readonly nowMs: number;
}

/** Whether the service would refuse an end: the list's deadline has passed, or would have. */
export const isTooSoon = ({ before, after, retainDays, nowMs }: MovedEnd): boolean =>
  [before, after].some((endsAt) => Date.parse(deadlineOf(endsAt, retainDays)) <= nowMs);

/** What another end of an event does to its list. Nobody is kept for longer than they agreed to. */
export function moveLines(moved: MovedEnd, impact: ListImpact, exact: Exact): readonly Line[] {
  const { before, after, retainDays } = moved;
  if (before === after) return [];
  if (isTooSoon(moved)) return [{ key: 'lists.effect.too-soon' }];
  const deadline = deadlineOf(after, retainDays);
  const { people, lastDeleteAfter } = impact;
  if (after > before) {
    const isAnyShorter = people > 0 && lastDeleteAfter !== null && lastDeleteAfter < deadline;
    return [
      { key: 'lists.effect.longer', values: { deadline: exact(deadline) } },
      ...(isAnyShorter
        ? [{ key: 'lists.effect.people-keep-date', values: { count: people, until: exact(lastDeleteAfter) } } as const]
        : []),
    ];
  }
  const isAnyLonger = people > 0 && lastDeleteAfter !== null && lastDeleteAfter > deadline;
  return [
    { key: 'lists.effect.sooner', values: { deadline: exact(deadline) } },
    ...(isAnyLonger
      ? [{ key: 'lists.effect.people-sooner', values: { count: people, deadline: exact(deadline) } } as const]
      : []),
    ...(impact.validTokens === 0
      ? []
      : [{ key: 'lists.effect.links-sooner', values: { count: impact.validTokens, end: exact(after) } } as const]),
  ];
}

export function Lines({ lines }: { readonly lines: readonly Line[] }) {
  return (
    <ul className="svcd-bullets">
      {lines.map(({ key, values }) => (
        <li key={key}>{say(key, values)}</li>
      ))}
    </ul>
  );
}
