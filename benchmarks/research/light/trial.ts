import {
  drawLightSequence,
  type LightSample,
  type LightSequence,
  measureLight,
  restingLight,
  type ShownSequence,
  sequenceMs,
  shownSteps,
} from '@svc/device-sdk/evaluation';
import {
  AutoCamera,
  type Display,
  displayLight,
  heldPrint,
  heldScreen,
  type LitScene,
  panelOf,
  type RenderedImage,
} from '@svc/synthetic-faces';
import type { Moment, Person } from './person.ts';
import { SeededDraws } from './seeded-draws.ts';

/** The presentation before the camera. */
export const kinds = [
  /** The person. */
  'live',
  /** A video of the person, filmed in a room, on a large glossy screen that fills the view. */
  'replay-large',
  /** The same on a dim, bare glass held so that it mirrors the lit screen over the face: the attacker's best. */
  'replay-mirror',
  /** The same on a phone or tablet in the real room. */
  'replay-tablet',
  /** A video of the person's true answer to an earlier challenge, on a large screen. */
  'replay-answer',
  /** A photo on matt paper that fills the view. */
  'print',
  /** A photo cut out along the head, in the real room. */
  'cut-out',
  /** A video of the person in a room, injected in place of the camera. */
  'injected',
  /** The person's true answer to an earlier challenge, injected. */
  'injected-answer',
] as const;
export type Kind = (typeof kinds)[number];

/** A presentation before light is added; every light level and every draw uses it. */
export interface Staged {
  readonly person: Person;
  readonly kind: Kind;
  readonly scenes: readonly LitScene[];
}

/** @param seed of the attacker's means: the recording, the surface and how it is held */
export function stage(person: Person, kind: Kind, seed: number): Staged {
  return { person, kind, scenes: scenesOf(person, kind, new SeededDraws(`${person.seed}/${seed}/${kind}`)) };
}

export interface TrialOptions {
  readonly ambientLux: number;
  /** Seed of everything that differs between attempts: sequence, latency, camera, white of the room. */
  readonly seed: number | string;
  /** The attempt's second sequence: newly drawn, with the same room, camera and sway. */
  readonly again?: boolean;
}

/** The device's data when it judges a challenge. */
export interface Measured {
  readonly shown: ShownSequence;
  readonly samples: readonly LightSample[];
}

const leadMs = 300;

/** Luminous intensity of the white screen in candela, as a host reports it. */
export const candelaOf = ({ luminance, widthCm, heightCm }: Display): number => (luminance * widthCm * heightCm) / 1e4;

/** One challenge without the verdict. */
export function measure({ person, kind, scenes }: Staged, options: TrialOptions): Measured {
  const attempt = `${person.seed}/${options.seed}/${kind}/${options.ambientLux}`;
  const draws = new SeededDraws(attempt);
  const first = drawLightSequence(draws);
  const anew = options.again === true ? new SeededDraws(`${attempt}/again`) : null;
  const sequence = anew === null ? first : drawLightSequence(anew);
  const frames = framesOf(person, kind, scenes, options.ambientLux, sequence, draws, anew);
  const anchor = frames[0]?.moment.face.box;
  const samples = frames.map(({ image, moment }) => measureLight(image, moment.face, moment.atMs, anchor));
  let atMs = leadMs;
  const starts = sequence.map(({ durationMs }) => {
    const start = atMs;
    atMs += durationMs;
    return start;
  });
  const shown = {
    steps: shownSteps(sequence, starts),
    endMs: leadMs + sequenceMs(sequence),
    candela: candelaOf(person.display),
  };
  return { shown, samples };
}

interface Frame {
  readonly image: RenderedImage;
  readonly moment: Moment;
}

/** White of a room, from incandescent to daylight; linear sRGB with green 1. */
export const whites = [
  [1.9, 1, 0.33],
  [1.35, 1, 0.62],
  [1.12, 1, 0.84],
  [1, 1, 1],
  [0.92, 1, 1.14],
] as const;

function framesOf(
  person: Person,
  kind: Kind,
  scenes: readonly LitScene[],
  ambientLux: number,
  sequence: LightSequence,
  draws: SeededDraws,
  anew: SeededDraws | null,
): Frame[] {
  const white = draws.pick(whites);
  const seed = Math.floor(draws.between(1, 1e6));
  const camera = {
    seed,
    noiseSeed: anew === null ? seed : Math.floor(anew.between(1, 1e6)),
    ambientColour: white,
    latencyMs: draws.between(30, 220),
  };
  if (kind === 'injected')
    return film(person, scenes, { ...camera, ambientLux: draws.between(50, 500), sequence: null });
  if (kind === 'injected-answer') {
    const other = drawLightSequence(anew ?? draws);
    return film(person, scenes, { ...camera, ambientLux, sequence: other });
  }
  return film(person, scenes, { ...camera, ambientLux, sequence });
}

interface Filming {
  readonly seed: number;
  /** Default: the seed. */
  readonly noiseSeed?: number;
  readonly ambientLux: number;
  readonly ambientColour: readonly [number, number, number];
  /** Null: the screen shows its resting colour. */
  readonly sequence: LightSequence | null;
  /** Delay from asking for a colour to a frame lit by it. */
  readonly latencyMs: number;
}

const exposureMs = 25;

function film(person: Person, scenes: readonly LitScene[], filming: Filming): Frame[] {
  const { ambientLux, ambientColour, sequence, latencyMs } = filming;
  // Every second camera sends its colour at half the resolution.
  const camera = new AutoCamera({
    seed: filming.seed,
    noiseSeed: filming.noiseSeed ?? filming.seed,
    chroma: filming.seed % 2 === 0 ? 'full' : 'halved',
  });
  const shown = (atMs: number): readonly [number, number, number] => {
    let from = leadMs + latencyMs;
    for (const { colour, durationMs } of atMs < from ? [] : (sequence ?? [])) {
      from += durationMs;
      if (atMs < from) return displayLight(person.display, colour);
    }
    return displayLight(person.display, restingLight);
  };
  const end = leadMs + latencyMs + (sequence === null ? 1 : 0) * 1e6 + sequenceMs(sequence ?? []) + 300;
  return person.moments.flatMap((moment, i) => {
    const scene = scenes[i];
    if (scene === undefined || moment.atMs > end) return [];
    const [a, b] = [shown(moment.atMs - exposureMs), shown(moment.atMs)];
    const screen = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2] as const;
    const light = { ambientLux, ambientColour, screen };
    if (i === 0) camera.settle(scene, light);
    return [{ moment, image: camera.take(scene, light, moment.atMs) }];
  });
}

function scenesOf(person: Person, kind: Kind, draws: SeededDraws): readonly LitScene[] {
  const live = person.moments.map(({ scene }) => scene);
  if (kind === 'live' || kind === 'injected' || kind === 'injected-answer') return live;
  const panel = panelOf(person.display);
  const earlier = kind === 'replay-answer' ? drawLightSequence(draws) : null;
  const flat = kind === 'print' || kind === 'cut-out';
  const recorded = film(person, flat ? live.slice(0, 1) : live, {
    seed: Math.floor(draws.between(1, 1e6)),
    ambientLux: kind === 'replay-answer' ? draws.between(20, 200) : draws.between(100, 500),
    ambientColour: [1, 1, 1],
    sequence: earlier,
    latencyMs: 100,
  });
  const held = {
    panel,
    distance: person.distance,
    tiltDeg: draws.between(-12, 12),
    luminance: draws.between(150, 500),
    diffuse: draws.between(0.008, 0.02),
    mirror: draws.pick([0.01, 0.02, 0.04]),
    ...(kind === 'replay-mirror' ? mirroring(person, panel, draws) : {}),
  };
  const [photo] = recorded;
  return live.flatMap((before, i) => {
    const frame = (flat ? photo : recorded[i])?.image;
    if (frame === undefined) return [];
    if (flat) {
      const covers = kind === 'cut-out' ? (live[0]?.head ?? 'all') : 'all';
      return [heldPrint({ before, panel, distance: person.distance, frame, covers })];
    }
    return [heldScreen({ before, ...held, frame, covers: kind === 'replay-tablet' ? 'middle' : 'all' })];
  });
}

/** Near, so that the mirror image covers the whole face, and turned so that its middle lies on it. */
function mirroring({ distance }: Person, { centre }: ReturnType<typeof panelOf>, draws: SeededDraws) {
  const near = distance * draws.between(0.5, 1);
  const aimed = (Math.atan2(-centre[1], 44 * near) * 90) / Math.PI;
  return {
    distance: near,
    tiltDeg: aimed + draws.between(-2, 2),
    luminance: Math.exp(draws.between(Math.log(30), Math.log(250))),
    mirror: 0.04,
  };
}
