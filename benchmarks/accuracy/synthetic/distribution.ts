import type { FaceEngine } from '@svc/face-engine';
import { cosineOf, embedRender, identityRender, trackedYaw } from './measure.ts';

/** Embeddings of people in several poses: `embeddings[person][pose]`, null if no face was found. */
export interface IdentitySet {
  readonly seeds: readonly number[];
  readonly yawsDeg: readonly number[];
  readonly embeddings: readonly (readonly (Float32Array | null)[])[];
  readonly detectionScores: readonly number[];
  readonly faceFlags: readonly number[];
  /** Seeds whose frontal picture was refused as a reference. */
  readonly notEnrolled: readonly number[];
  readonly renderMs: readonly number[];
}

/** Renders and embeds each seed at each yaw; a yaw of 0 must be included and is enrolled. */
export async function embedIdentities(
  engine: FaceEngine,
  seeds: readonly number[],
  yawsDeg: readonly number[],
  progress: (done: number) => void = () => {},
  engineId = engine.engineId,
): Promise<IdentitySet> {
  const embeddings: (Float32Array | null)[][] = [];
  const [detectionScores, faceFlags, notEnrolled, renderMs]: [number[], number[], number[], number[]] = [
    [],
    [],
    [],
    [],
  ];
  for (const seed of seeds) {
    const row: (Float32Array | null)[] = [];
    for (const yawDeg of yawsDeg) {
      const startMs = performance.now();
      const render = identityRender(seed, yawDeg);
      renderMs.push(performance.now() - startMs);
      const seen = await embedRender(engine, render, engineId);
      if (seen) {
        detectionScores.push(seen.score);
        faceFlags.push(seen.analysis.faceFlag);
      }
      // The frontal picture is enrolled like a guest's: with a second, slower search if the fast detector misses the
      // face.
      const reference = yawDeg === 0 ? await engine.enrol(render, { engineId }) : null;
      if (reference?.ok === false) notEnrolled.push(seed);
      row.push(reference?.ok ? reference.reference : (seen?.embedding ?? null));
    }
    embeddings.push(row);
    progress(embeddings.length);
  }
  return { seeds, yawsDeg, embeddings, detectionScores, faceFlags, notEnrolled, renderMs };
}

/** Cosines of all pairs of different people, both frontal. */
export function frontalImpostors({ embeddings, yawsDeg }: IdentitySet): number[] {
  const front = yawsDeg.indexOf(0);
  const cosines: number[] = [];
  embeddings.forEach((row, i) => {
    for (const other of embeddings.slice(i + 1)) {
      const [a, b] = [row[front], other[front]];
      if (a && b) cosines.push(cosineOf(a, b));
    }
  });
  return cosines;
}

/** Cosines of all pairs of different people in all pairs of poses. */
export function allImpostors({ embeddings }: IdentitySet): number[] {
  const cosines: number[] = [];
  embeddings.forEach((row, i) => {
    for (const other of embeddings.slice(i + 1)) {
      for (const a of row) for (const b of other) if (a && b) cosines.push(cosineOf(a, b));
    }
  });
  return cosines;
}

/** Cosines of all pairs of different poses of the same person. */
export function genuinePairs({ embeddings }: IdentitySet): number[] {
  const cosines: number[] = [];
  for (const row of embeddings) {
    row.forEach((a, i) => {
      for (const b of row.slice(i + 1)) if (a && b) cosines.push(cosineOf(a, b));
    });
  }
  return cosines;
}

/** Cosines of turned pictures to frontal references, in the order of the set's yaws. */
export function turnedAgainstFrontal({ embeddings, yawsDeg }: IdentitySet, yawDeg: number) {
  const [front, turned] = [yawsDeg.indexOf(0), yawsDeg.indexOf(yawDeg)];
  const genuine: number[] = [];
  const impostor: number[] = [];
  embeddings.forEach((row, i) => {
    const probe = row[turned];
    if (!probe) return;
    embeddings.forEach((other, j) => {
      const reference = other[front];
      if (reference) (i === j ? genuine : impostor).push(cosineOf(probe, reference));
    });
  });
  return { genuine, impostor };
}

/** Tracked minus true yaw in degrees for each pose of each seed; infinite if no face was found. */
export async function yawErrors(
  engine: FaceEngine,
  seeds: readonly number[],
  yawsDeg: readonly number[],
): Promise<number[]> {
  const errors: number[] = [];
  for (const seed of seeds) {
    for (const yawDeg of yawsDeg) {
      const tracked = await trackedYaw(engine, identityRender(seed, yawDeg));
      errors.push(tracked === null ? Number.POSITIVE_INFINITY : tracked - yawDeg);
    }
  }
  return errors;
}
