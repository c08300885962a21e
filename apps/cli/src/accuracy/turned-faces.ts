import { type EngineRecipe, type FaceEngine, facesIn, wipeAnalysis } from '@svc/face-engine';
import { identitySeed, type RenderedImage, renderHead } from '@svc/synthetic-faces/node';
import { progress } from '../output.ts';

/** Yaw angles at which the device compares a face, degrees to either side. */
export const comparedTurns = [10, 15, 20, 27] as const;
/** Further poses, for the limits of enrolment. */
const furtherYaws = [30, 35, 40] as const;
const pitches = [10, 20, 30, 40] as const;

/** The frame for rendered identities: a webcam's, with the face a quarter of its width. */
const frame = { width: 640, height: 480, distance: 1.25 } as const;

/** Cosines of pictures at one angle to frontal references. */
export interface PoseScores {
  readonly axis: 'yaw' | 'pitch';
  /** Yaw as rendered, to either side. */
  readonly angleDeg: number;
  readonly genuine: readonly number[];
  readonly impostor: readonly number[];
  /** Pictures in which no face was found. */
  readonly notFound: number;
}

export interface TurnedFaces {
  readonly people: number;
  /** People whose frontal picture was refused. */
  readonly notEnrolled: number;
  readonly poses: readonly PoseScores[];
}

interface Pose {
  readonly axis: 'yaw' | 'pitch';
  readonly angleDeg: number;
  readonly signedDeg: number;
}

const both = (axis: Pose['axis'], angles: readonly number[]): Pose[] =>
  angles.flatMap((angleDeg) => [angleDeg, -angleDeg].map((signedDeg) => ({ axis, angleDeg, signedDeg })));

function render(seed: number, { axis, signedDeg }: Pick<Pose, 'axis' | 'signedDeg'>): RenderedImage {
  const pose = axis === 'yaw' ? { yawDeg: signedDeg } : { pitchDeg: signedDeg };
  return renderHead({ ...frame, seed, ...pose, noiseSeed: 1000 + Math.round(signedDeg * 10) });
}

async function templateOf(engine: FaceEngine, picture: RenderedImage, engineId: string): Promise<Float32Array | null> {
  const image = engine.open(picture);
  const faces = await facesIn(engine, image);
  try {
    const [face] = faces;
    return face ? await engine.embed(image, face, { engineId }) : null;
  } finally {
    for (const face of faces) wipeAnalysis(face);
    image.dispose();
  }
}

/**
 * Compares rendered people, turned and tilted, with the frontal references of all.
 * @param people number of published identities to use
 * @param posed how many of them are also drawn beyond the angles that the device compares
 */
export async function measureTurned(
  engine: FaceEngine,
  { engineId }: EngineRecipe,
  people = 60,
  posed = 30,
): Promise<TurnedFaces> {
  const seeds = Array.from({ length: people }, (_, i) => identitySeed(i));
  const bar = progress('rendered', people);
  const references: (Float32Array | null)[] = [];
  const probes: { readonly person: number; readonly pose: Pose; readonly template: Float32Array | null }[] = [];
  for (const [person, seed] of seeds.entries()) {
    const enrolled = await engine.enrol(render(seed, { axis: 'yaw', signedDeg: 0 }), { engineId });
    references.push(enrolled.ok ? enrolled.reference : null);
    if (enrolled.ok) wipeAnalysis(enrolled.analysis);
    const further = person < posed ? [...both('yaw', furtherYaws), ...both('pitch', pitches)] : [];
    for (const pose of [...both('yaw', comparedTurns), ...further]) {
      probes.push({ person, pose, template: await templateOf(engine, render(seed, pose), engineId) });
    }
    bar.step();
  }
  bar.done();
  const poses = new Map<
    string,
    { genuine: number[]; impostor: number[]; notFound: number } & Omit<Pose, 'signedDeg'>
  >();
  for (const { person, pose, template } of probes) {
    const { axis, angleDeg } = pose;
    const key = `${axis} ${angleDeg}`;
    const scores = poses.get(key) ?? { axis, angleDeg, genuine: [], impostor: [], notFound: 0 };
    poses.set(key, scores);
    if (template === null) scores.notFound += 1;
    for (const [other, reference] of references.entries()) {
      if (template === null || reference === null) continue;
      (other === person ? scores.genuine : scores.impostor).push(engine.core.cosine(template, reference));
    }
  }
  return {
    people,
    notEnrolled: references.filter((reference) => reference === null).length,
    poses: [...poses.values()],
  };
}
