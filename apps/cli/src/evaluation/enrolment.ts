import { FaceError } from '@svc/core';
import { type EnrolReason, type FaceAnalysis, type FaceEngine, wipeAnalysis } from '@svc/face-engine';
import { readPhoto } from '../images/read-photo.ts';
import { progress } from '../output.ts';

/** `one`: the service's own rule. `largest`: the largest face, ignoring other faces and its quality. */
export const faceRules = ['one', 'largest'] as const;
export type FaceRule = (typeof faceRules)[number];

export type FailureReason = EnrolReason | 'image-invalid';

/** A photo without a reference. */
export interface EnrolmentFailure {
  readonly ok: false;
  readonly reason: FailureReason;
  /** The measured value and the violated limit, if the reason has one. */
  readonly measured?: number;
  readonly limit?: number;
}

/** Reference: `Float32Array[dimension]`, unit L2 norm; the caller wipes it. */
export type Enrolment =
  | { readonly ok: true; readonly reference: Float32Array; readonly analysis: FaceAnalysis }
  | EnrolmentFailure;

/** Makes a reference of a photo file, or returns the reason why not. @throws CliError if the file does not exist */
export async function enrolPhoto(engine: FaceEngine, path: string, rule: FaceRule): Promise<Enrolment> {
  try {
    const image = await readPhoto(path);
    return rule === 'one' ? await engine.enrol(image) : await enrolLargest(engine, image);
  } catch (error) {
    if (FaceError.is(error) && error.code === 'image-invalid') return { ok: false, reason: 'image-invalid' };
    throw error;
  }
}

async function enrolLargest(engine: FaceEngine, photo: Awaited<ReturnType<typeof readPhoto>>): Promise<Enrolment> {
  const image = engine.open(photo);
  try {
    let largest: FaceAnalysis | null = null;
    for (const detection of await engine.detect(image)) {
      const face = await engine.analyse(image, detection);
      if (face && face.quality.faceWidthPx > (largest?.quality.faceWidthPx ?? 0)) largest = face;
    }
    if (!largest) return { ok: false, reason: 'no-face' };
    return { ok: true, reference: await engine.embed(image, largest), analysis: largest };
  } finally {
    image.dispose();
  }
}

/** Enrols every file once, in the order given, even if named twice. */
export async function enrolAll(
  engine: FaceEngine,
  paths: Iterable<string>,
  rule: FaceRule,
): Promise<Map<string, Enrolment>> {
  const distinct = [...new Set(paths)];
  const bar = progress('enrolled', distinct.length);
  const enrolments = new Map<string, Enrolment>();
  for (const path of distinct) {
    enrolments.set(path, await enrolPhoto(engine, path, rule));
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
export interface NamedFailure {
  readonly file: string;
  readonly reason: FailureReason;
  readonly measured?: number;
  readonly limit?: number;
}

export function namedFailures(
  enrolments: ReadonlyMap<string, Enrolment>,
  nameOf: (path: string) => string,
): NamedFailure[] {
  return [...enrolments].flatMap(([path, enrolment]) => {
    if (enrolment.ok) return [];
    const { ok: _ok, ...failure } = enrolment;
    return [{ file: nameOf(path), ...failure }];
  });
}

/** `blurred (0.31, limit 0.35)` */
export function describeFailure(failure: Omit<EnrolmentFailure, 'ok'>): string {
  const round = (value: number) => String(Number(value.toPrecision(3)));
  const { reason, measured, limit } = failure;
  if (measured === undefined) return reason;
  return `${reason} (${round(measured)}${limit === undefined ? '' : `, limit ${round(limit)}`})`;
}
