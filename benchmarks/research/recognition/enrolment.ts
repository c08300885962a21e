import { FaceError } from '@svc/core';
import {
  type EngineRecipe,
  type EnrolReason,
  type FaceAnalysis,
  type FaceEngine,
  facesIn,
  wipeAnalysis,
} from '@svc/face-engine';
import { readPhoto } from '../../inputs/read-photo.ts';
import { progress } from '../progress.ts';

/** `one`: the service's own rule. `largest`: the largest face, ignoring other faces and its quality. */
export const faceRules = ['one', 'largest'] as const;
export type FaceRule = (typeof faceRules)[number];

export type FailureReason = EnrolReason | 'image-invalid';

/** A photo without a reference: the reason, with the measured value and the violated limit if it has one. */
export interface EnrolmentFailure {
  readonly ok: false;
  readonly reason: FailureReason;
  readonly measured?: number;
  readonly limit?: number;
}

export interface Enrolled {
  readonly ok: true;
  /** `Float32Array[dimension]`, unit L2 norm; the caller wipes it. */
  readonly reference: Float32Array;
  readonly analysis: FaceAnalysis;
}

export type Enrolment = Enrolled | EnrolmentFailure;

/** Enrolments by path. */
export type Enrolments = ReadonlyMap<string, Enrolment>;

/** What tells one engine's comparisons from another's. */
export type ComparingEngine = Pick<FaceEngine, 'core' | 'dimension' | 'engineId' | 'matchThreshold'>;

/** One of an engine's recipes, to compare templates. */
export const comparing = ({ core }: Pick<FaceEngine, 'core'>, recipe: EngineRecipe): ComparingEngine => ({
  core,
  ...recipe,
});

/** Makes a reference of a photo file, or returns the reason why not. */
export async function enrolPhoto(
  engine: FaceEngine,
  path: string,
  rule: FaceRule = 'one',
  engineId = engine.engineId,
): Promise<Enrolment> {
  try {
    const photo = await readPhoto(path);
    const enrolment = await (rule === 'one'
      ? engine.enrol(photo, { engineId })
      : enrolLargest(engine, photo, engineId));
    photo.data.fill(0);
    return enrolment;
  } catch (error) {
    if (FaceError.is(error) && error.code === 'image-invalid') return { ok: false, reason: 'image-invalid' };
    throw error;
  }
}

async function enrolLargest(
  engine: FaceEngine,
  photo: Awaited<ReturnType<typeof readPhoto>>,
  engineId: string,
): Promise<Enrolment> {
  const image = engine.open(photo);
  try {
    const [largest, ...others] = await facesIn(engine, image);
    for (const face of others) wipeAnalysis(face);
    if (!largest) return { ok: false, reason: 'no-face' };
    return { ok: true, reference: await engine.embed(image, largest, { engineId }), analysis: largest };
  } finally {
    image.dispose();
  }
}

/** Enrols every file once, in the order given, even if named twice. */
export async function enrolAll(
  engine: FaceEngine,
  paths: Iterable<string>,
  rule?: FaceRule,
  engineId?: string,
): Promise<Map<string, Enrolment>> {
  const distinct = [...new Set(paths)];
  const bar = progress('enrolled', distinct.length);
  const enrolments = new Map<string, Enrolment>();
  for (const path of distinct) {
    enrolments.set(path, await enrolPhoto(engine, path, rule, engineId));
    bar.step();
  }
  bar.done();
  return enrolments;
}

/** Wipes references and analyses. */
export function wipeEnrolments(enrolments: Iterable<Enrolment>): void {
  for (const enrolment of enrolments) {
    if (!enrolment.ok) continue;
    enrolment.reference.fill(0);
    wipeAnalysis(enrolment.analysis);
  }
}

/** A failure with the name of its file. */
export type NamedFailure = Omit<EnrolmentFailure, 'ok'> & { readonly file: string };

export function namedFailures(enrolments: Enrolments, nameOf: (path: string) => string): NamedFailure[] {
  return [...enrolments].flatMap(([path, enrolment]) => {
    if (enrolment.ok) return [];
    const { ok: _ok, ...failure } = enrolment;
    return [{ file: nameOf(path), ...failure }];
  });
}

/** `blurred (0.31, limit 0.35)` */
export function describeFailure({ reason, measured, limit }: Omit<EnrolmentFailure, 'ok'>): string {
  const round = (value: number) => String(Number(value.toPrecision(3)));
  if (measured === undefined) return reason;
  return `${reason} (${round(measured)}${limit === undefined ? '' : `, limit ${round(limit)}`})`;
}
