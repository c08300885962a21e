import type { Attendance, ListImpact } from '@svc/protocol';
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

/** What is chosen with a list. */
export interface ListPolicies {
  readonly retainDays: number;
  /** Guests may send no file. */
  readonly isCameraOnly: boolean;
  /** Absent in drafts of former versions. */
  readonly attendance?: Attendance | undefined;
}

/** As the service takes them, without those that it takes anyway. */
export const policiesOf = ({ retainDays, isCameraOnly, attendance }: ListPolicies) => ({
  retainDays,
  ...(isCameraOnly ? { photoSource: 'camera' as const } : {}),
  ...(attendance === 'unattended' ? { attendance } : {}),
});

type Values = NonNullable<Line['values']>;
const line = (key: TextKey, values: Values = {}): Line => ({ key, values });
const lineIf = (isSo: boolean, key: TextKey, values: Values): Line[] => (isSo ? [line(key, values)] : []);

const tokensLine = ({ validTokens: count }: ListImpact) => lineIf(count > 0, 'lists.effect.links-stop', { count });

/** Until when faces are kept: one date, or from the first to the last. */
function untilLine({ people: count, firstDeleteAfter, lastDeleteAfter }: ListImpact, exact: Exact): Line[] {
  if (count === 0 || firstDeleteAfter === null || lastDeleteAfter === null) return [];
  const until = exact(lastDeleteAfter);
  if (firstDeleteAfter === lastDeleteAfter) return [line('lists.effect.people-stay', { count, until })];
  return [line('lists.effect.people-stay-each', { count, from: exact(firstDeleteAfter), until })];
}

export const closeLines = (impact: ListImpact, exact: Exact): readonly Line[] => [
  line('lists.effect.nobody-enrols'),
  ...tokensLine(impact),
  ...untilLine(impact, exact),
  ...lineIf(impact.people > 0, 'lists.effect.doors-go-on', { count: impact.devices }),
  line('lists.effect.for-good'),
];

/** What ending a list does: as closing, and its end is told to whoever listens. */
export const endLines = (impact: ListImpact, exact: Exact): readonly Line[] => [
  ...closeLines(impact, exact).slice(0, -1),
  line('lists.effect.end-is-told'),
  line('lists.effect.ten-minutes'),
];

export const undoEndLines = (): readonly Line[] => [line('lists.effect.enrols-again')];

export const deleteLines = (impact: ListImpact): readonly Line[] => [
  line('lists.effect.faces-gone', { count: impact.people }),
  ...lineIf(impact.devices > 0, 'lists.effect.doors-wipe', { count: impact.devices, copies: impact.devicesWithCopy }),
  ...tokensLine(impact),
  line('lists.effect.ledger-stays'),
  line('lists.effect.for-good'),
];

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
  if (isTooSoon(moved)) return [line('lists.effect.too-soon')];
  const latest = deadlineOf(after, retainDays);
  const deadline = exact(latest);
  const { people: count, validTokens } = impact;
  const kept = impact.lastDeleteAfter ?? latest;
  if (after > before) {
    const until = exact(kept);
    return [
      line('lists.effect.longer', { deadline }),
      ...lineIf(count > 0 && kept < latest, 'lists.effect.people-keep-date', { count, until }),
    ];
  }
  return [
    line('lists.effect.sooner', { deadline }),
    ...lineIf(count > 0 && kept > latest, 'lists.effect.people-sooner', { count, deadline }),
    ...lineIf(validTokens > 0, 'lists.effect.links-sooner', { count: validTokens, end: exact(after) }),
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
