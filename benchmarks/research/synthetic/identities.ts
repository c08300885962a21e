import type { FaceEngine } from '@svc/face-engine';
import { type RenderedImage, renderHead } from '@svc/synthetic-faces';
import { withFace } from '../first-face.ts';
import { progress } from '../progress.ts';

/** Dot product of two unit vectors. */
function cosineOf(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

/** The frame for comparing identities: a webcam's, with the face a quarter of its width. */
export const identityFrame = { width: 640, height: 480, distance: 1.25 } as const;

/** The frame for passive liveness, which needs twice the face in both directions. */
export const livenessFrame = { width: 640, height: 480, distance: 1.5 } as const;

/** Degrees; frontal without. */
export interface Pose {
  readonly yawDeg?: number;
  readonly pitchDeg?: number;
}

const isFrontal = ({ yawDeg = 0, pitchDeg = 0 }: Pose): boolean => yawDeg === 0 && pitchDeg === 0;

/** Both sides of each angle. */
export const toEitherSide = (axis: keyof Pose, angles: readonly number[]): Pose[] =>
  angles.flatMap((angle) => [{ [axis]: angle }, { [axis]: -angle }]);

/** A person of a seed in one pose, each pose with its own camera noise. */
function identityRender(seed: number, pose: Pose): RenderedImage {
  const { yawDeg = 0, pitchDeg = 0 } = pose;
  return renderHead({ ...identityFrame, seed, ...pose, noiseSeed: 1000 + Math.round((yawDeg + pitchDeg) * 10) });
}

/** Embeddings of people in several poses: `embeddings[person][pose]`, null if no face was found. */
export interface IdentitySet {
  readonly poses: readonly Pose[];
  readonly embeddings: readonly (readonly (Float32Array | null)[])[];
  /** Seeds whose frontal picture was refused as a reference. */
  readonly notEnrolled: readonly number[];
}

/** Renders and embeds each seed in each pose; a frontal one must be included and is enrolled like a guest's photo. */
export async function embedIdentities(
  engine: FaceEngine,
  seeds: readonly number[],
  poses: readonly Pose[],
  engineId = engine.engineId,
): Promise<IdentitySet> {
  const embeddings: (Float32Array | null)[][] = [];
  const notEnrolled: number[] = [];
  const bar = progress('rendered', seeds.length);
  for (const seed of seeds) {
    const row: (Float32Array | null)[] = [];
    for (const pose of poses) {
      const render = identityRender(seed, pose);
      const reference = isFrontal(pose) ? await engine.enrol(render, { engineId }) : null;
      if (reference?.ok === false) notEnrolled.push(seed);
      row.push(
        reference?.ok
          ? reference.reference
          : await withFace(engine, render, (face, image) => engine.embed(image, face, { engineId })),
      );
    }
    embeddings.push(row);
    bar.step();
  }
  bar.done();
  return { poses, embeddings, notEnrolled };
}

/** Cosines of pictures in some poses to frontal references, and in how many no face was found. */
export function againstFrontal({ embeddings, poses }: IdentitySet, isChosen: (pose: Pose) => boolean) {
  const front = poses.findIndex(isFrontal);
  const [genuine, impostor]: [number[], number[]] = [[], []];
  let notFound = 0;
  embeddings.forEach((row, i) => {
    for (const probe of row.filter((_, pose) => isChosen(poses[pose] ?? {}))) {
      if (!probe) notFound += 1;
      embeddings.forEach((other, j) => {
        const reference = other[front];
        if (probe && reference) (i === j ? genuine : impostor).push(cosineOf(probe, reference));
      });
    }
  });
  return { genuine, impostor, notFound };
}
