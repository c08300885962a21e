import type { FaceEngine, PassiveLiveness } from '@svc/face-engine';
import { type RenderedImage, renderHead, renderPrint, renderScreen } from '@svc/synthetic-faces';
import { withFace } from '../first-face.ts';
import { progress } from '../progress.ts';

/** Dot product of two unit vectors. */
export function cosineOf(a: Float32Array, b: Float32Array): number {
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

/** Cosines of all pairs of two people, both frontal. */
export function frontalImpostors({ embeddings, poses }: IdentitySet): number[] {
  const front = embeddings.map((row) => row[poses.findIndex(isFrontal)]);
  return front.flatMap((a, i) => front.slice(i + 1).flatMap((b) => (a && b ? [cosineOf(a, b)] : [])));
}

/** Cosines of all pairs of different poses of the same person. */
export const genuinePairs = ({ embeddings }: IdentitySet): number[] =>
  embeddings.flatMap((row) => row.flatMap((a, i) => row.slice(i + 1).flatMap((b) => (a && b ? [cosineOf(a, b)] : []))));

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

export type Shown = 'live' | 'print' | 'screen';
export type PassiveFigures = Readonly<Record<Shown, readonly number[]>>;

/**
 * Passive scores of a person at yaw 0 and ±22°, and of flat attacks with that person's picture; without frames that
 * cannot be scored.
 * @param attackTurns of the attacks
 */
export async function passiveFigures(
  engine: FaceEngine,
  passive: PassiveLiveness,
  seed: number,
  attackTurns: readonly number[] = [0, -22, 22],
): Promise<PassiveFigures> {
  const head = { seed, distance: livenessFrame.distance };
  const scores = async (turns: readonly number[], render: (yawDeg: number) => RenderedImage): Promise<number[]> => {
    const found: number[] = [];
    for (const turn of turns) {
      const scored = await withFace(engine, render(turn), (face, image) => passive.score(image, face));
      if (scored !== null) found.push(scored.score);
    }
    return found;
  };
  return {
    live: await scores([0, -22, 22], (yawDeg) => renderHead({ ...livenessFrame, seed, yawDeg })),
    print: await scores(attackTurns, (turnDeg) => renderPrint({ ...livenessFrame, head, turnDeg })),
    screen: await scores(attackTurns, (yawDeg) =>
      renderScreen({ ...livenessFrame, head: { ...head, yawDeg }, turnDeg: yawDeg / 6 }),
    ),
  };
}
