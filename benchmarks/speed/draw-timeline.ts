import { type AttemptTimes, computingMs, latencyMs } from './attempt/time-attempt.ts';

interface TimelineLane {
  readonly name: string;
  /** Each frame: when it was taken, milliseconds since the first, and its computing time. The last one decided. */
  readonly frames: readonly { readonly atMs: number; readonly computingMs: number }[];
  /** From the last frame's arrival to the result, wall clock. */
  readonly latencyMs: number;
  readonly stages: readonly { readonly name: string; readonly fromMs: number; readonly untilMs: number }[];
  /** From the call until the camera was requested. */
  readonly openingMs: number;
  /** One frame of Human. */
  readonly humanMs: number;
}

/** One attempt per device, in the window of an attempt. */
export interface Timeline {
  readonly caption: string;
  readonly windowMs: number;
  /** Interval of the camera's frames. */
  readonly frameMs: number;
  readonly lanes: readonly TimelineLane[];
}

export function laneOf(name: string, attempt: AttemptTimes, humanMs: number): TimelineLane {
  const { frontalMs, turnMs, returnMs } = attempt.timings;
  const named = [
    { name: 'frontal match', ms: frontalMs ?? 0 },
    { name: 'head turn', ms: turnMs ?? 0 },
    { name: 'back, second match', ms: returnMs ?? 0 },
  ];
  let fromMs = 0;
  const stages = named.map(({ name: stage, ms }) => {
    const untilMs = fromMs + ms;
    const placed = { name: stage, fromMs, untilMs };
    fromMs = untilMs;
    return placed;
  });
  const frames = attempt.frames.map((frame) => ({ atMs: frame.atMs, computingMs: computingMs(frame) }));
  return { name, frames, latencyMs: latencyMs(attempt), stages, openingMs: attempt.openingMs, humanMs };
}

/** Lookup and opening of one record in a list of this size. */
export interface Opening {
  readonly people: string;
  readonly ms: number;
}

const width = 1_000;
const plot = { left: 20, right: 860, laneHeight: 120, laneGap: 56, top: 70 } as const;

const style = `
  text { font: 12px system-ui, sans-serif; fill: #1f2328; }
  .title { font-weight: 600; font-size: 14px; }
  .quiet { fill: #59636e; }
  .stage { fill: #59636e; opacity: 0.08; }
  .odd { opacity: 0.16; }
  .frame { fill: #2f6fd6; }
  .last { fill: #c2570c; }
  .human { fill: none; stroke: #59636e; stroke-dasharray: 4 3; }
  .axis { stroke: #59636e; }
  .budget { stroke: #b3261e; stroke-dasharray: 6 4; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .quiet { fill: #9198a1; }
    .stage { fill: #9198a1; }
    .frame { fill: #6ea8fe; }
    .last { fill: #f0883e; }
    .human, .axis { stroke: #9198a1; }
    .budget { stroke: #ff7b72; }
  }`;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const round = (value: number): string => String(Math.round(value * 100) / 100);
const ms = (value: number): string => `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;

function text(x: number, y: number, content: string, attributes = ''): string {
  return `<text x="${round(x)}" y="${round(y)}"${attributes}>${escaped(content)}</text>`;
}

interface Scale {
  x(atMs: number): number;
  /** Height of a bar. */
  height(ofMs: number): number;
}

function scaleOf({ windowMs, lanes }: Timeline): Scale {
  const highest = Math.max(
    ...lanes.flatMap(({ frames, humanMs }) => [humanMs, ...frames.map(({ computingMs }) => computingMs)]),
  );
  return {
    x: (atMs) => plot.left + (atMs / windowMs) * (plot.right - plot.left),
    height: (ofMs) => (ofMs / highest) * plot.laneHeight,
  };
}

function drawLane(lane: TimelineLane, top: number, scale: Scale, { frameMs, windowMs }: Timeline): string[] {
  const { name, frames, latencyMs, stages, humanMs } = lane;
  const bottom = top + plot.laneHeight;
  const barWidth = scale.x(frameMs) - scale.x(0) - 1;
  const last = frames.at(-1) ?? { atMs: 0, computingMs: 0 };
  const sumMs = frames.reduce((sum, { computingMs }) => sum + computingMs, 0);
  const bar = ({ atMs, computingMs }: (typeof frames)[number], kind: string) =>
    `<rect class="${kind}" x="${round(scale.x(atMs))}" y="${round(bottom - scale.height(computingMs))}" width="${round(barWidth)}" height="${round(scale.height(computingMs))}"/>`;
  const budgetY = bottom - scale.height(frameMs);
  const humanX = plot.right + 30;
  return [
    text(plot.left, top - 10, name, ' class="title"'),
    ...stages.flatMap(({ name: stage, fromMs, untilMs }, i) => [
      `<rect class="stage${i % 2 === 1 ? ' odd' : ''}" x="${round(scale.x(fromMs))}" y="${round(top)}" width="${round(scale.x(untilMs) - scale.x(fromMs))}" height="${plot.laneHeight}"/>`,
      // Names are longer than stages, so they are stacked.
      text(scale.x(fromMs) + 3, top + 13 + 14 * i, stage, ' class="quiet"'),
    ]),
    ...frames.map((frame, i) => bar(frame, i === frames.length - 1 ? 'last' : 'frame')),
    `<line class="budget" x1="${plot.left}" x2="${plot.right}" y1="${round(budgetY)}" y2="${round(budgetY)}"/>`,
    text(plot.right - 4, budgetY - 4, `${ms(frameMs)}: until the next frame comes`, ' text-anchor="end" class="quiet"'),
    text(
      scale.x(last.atMs) + 12,
      bottom - scale.height(last.computingMs) / 2,
      `result ${ms(latencyMs)} after the last frame`,
    ),
    text(
      plot.right - 4,
      top - 10,
      `${frames.length} frames, computing ${(sumMs / 1_000).toFixed(2)} s: ${((100 * sumMs) / windowMs).toFixed(0)} % of the window`,
      ' text-anchor="end"',
    ),
    `<line class="axis" x1="${plot.left}" x2="${plot.right}" y1="${round(bottom)}" y2="${round(bottom)}"/>`,
    `<rect class="human" x="${humanX}" y="${round(bottom - scale.height(humanMs))}" width="26" height="${round(scale.height(humanMs))}"/>`,
    text(humanX + 32, bottom - scale.height(humanMs) / 2 - 6, 'Human,'),
    text(humanX + 32, bottom - scale.height(humanMs) / 2 + 9, 'one frame'),
    text(humanX + 32, bottom - scale.height(humanMs) / 2 + 24, ms(humanMs), ' class="quiet"'),
  ];
}

function drawAxis(y: number, scale: Scale, windowMs: number): string[] {
  const seconds = Array.from({ length: windowMs / 1_000 + 1 }, (_, s) => s);
  return [
    ...seconds.flatMap((s) => [
      `<line class="axis" x1="${round(scale.x(s * 1_000))}" x2="${round(scale.x(s * 1_000))}" y1="${y}" y2="${y + 5}"/>`,
      text(scale.x(s * 1_000), y + 18, `${s} s`, ' text-anchor="middle"'),
    ]),
    text(plot.right, y + 34, 'the window ends', ' text-anchor="end" class="quiet"'),
  ];
}

/** An SVG of attempts in their window: each frame a bar at its time, as high as its duration. */
export function drawTimeline(timeline: Timeline, openings: readonly Opening[]): string {
  const { caption, lanes, windowMs } = timeline;
  const scale = scaleOf(timeline);
  const laneTop = (i: number) => plot.top + i * (plot.laneHeight + plot.laneGap);
  const axisY = laneTop(lanes.length - 1) + plot.laneHeight;
  const height = axisY + 108;
  const notes = [
    `Before the first frame, admission, lookup and opening: ${lanes.map(({ name, openingMs }) => `${name} ${ms(openingMs)}`).join(', ')}.`,
    ...(openings.length === 0
      ? []
      : [
          `Lookup and opening alone, out of a file: ${openings.map(({ people, ms: took }) => `${ms(took)} among ${people} people`).join(', ')}.`,
        ]),
    `One pixel is ${ms(windowMs / (plot.right - plot.left))}.`,
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(caption)}">`,
    `<style>${style}\n</style>`,
    text(
      plot.left,
      24,
      'Each bar is a frame: where it stands is when it came, its height is what it took.',
      ' class="quiet"',
    ),
    ...lanes.flatMap((lane, i) => drawLane(lane, laneTop(i), scale, timeline)),
    ...drawAxis(axisY, scale, windowMs),
    ...notes.map((note, i) => text(plot.left, axisY + 56 + 18 * i, note)),
    '</svg>',
    '',
  ].join('\n');
}
