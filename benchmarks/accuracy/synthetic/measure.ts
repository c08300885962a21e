import type { FaceAnalysis, FaceEngine, PassiveLiveness } from '@svc/face-engine';
import { type HeadOptions, type RenderedImage, renderHead, renderPrint, renderScreen } from '@svc/synthetic-faces';

interface Enrolled {
  readonly embedding: Float32Array;
  readonly analysis: FaceAnalysis;
  readonly detections: number;
  readonly score: number;
}

/** Detects, analyses and embeds the face of a render; null if no confirmed face is found. */
export async function embedRender(
  engine: FaceEngine,
  render: RenderedImage,
  engineId = engine.engineId,
): Promise<Enrolled | null> {
  const image = engine.open(render);
  try {
    const detections = await engine.detect(image);
    const [first] = detections;
    if (!first) return null;
    const analysis = await engine.analyse(image, first);
    if (!analysis) return null;
    return {
      embedding: await engine.embed(image, analysis, { engineId }),
      analysis,
      detections: detections.length,
      score: first.score,
    };
  } finally {
    image.dispose();
  }
}

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

/** A person of a seed in one pose, each pose with its own camera noise. */
export function identityRender(seed: number, yawDeg: number): RenderedImage {
  return renderHead({ ...identityFrame, seed, yawDeg, noiseSeed: 1000 + Math.round(yawDeg * 10) });
}

/** Tracked yaw in degrees; null if no face is found. */
export async function trackedYaw(engine: FaceEngine, render: RenderedImage): Promise<number | null> {
  const image = engine.open(render);
  try {
    const [first] = await engine.detect(image);
    const analysis = first ? await engine.analyse(image, first) : null;
    return analysis?.pose.yawDeg ?? null;
  } finally {
    image.dispose();
  }
}

/** Passive score of one frame; null if it can't be scored. */
export async function passiveScore(
  engine: FaceEngine,
  passive: PassiveLiveness,
  render: RenderedImage,
): Promise<number | null> {
  const image = engine.open(render);
  try {
    const [first] = await engine.detect(image);
    const analysis = first ? await engine.analyse(image, first) : null;
    return analysis ? await passive.score(image, analysis) : null;
  } finally {
    image.dispose();
  }
}

/** Poses of the passive figures, degrees of yaw. */
export const allTurns = [0, -22, 22] as const;

export interface PassiveFigures {
  readonly live: readonly (number | null)[];
  readonly print: readonly (number | null)[];
  readonly screen: readonly (number | null)[];
}

/** Passive scores of a person and of flat attacks with that person's picture, frontal and turned. */
export async function passiveFigures(
  engine: FaceEngine,
  passive: PassiveLiveness,
  seed: number,
  attackTurns: readonly number[] = allTurns,
): Promise<PassiveFigures> {
  const head: HeadOptions = { seed, distance: livenessFrame.distance };
  const scores = async (
    turns: readonly number[],
    render: (yawDeg: number) => RenderedImage,
  ): Promise<(number | null)[]> => {
    const found: (number | null)[] = [];
    for (const yawDeg of turns) found.push(await passiveScore(engine, passive, render(yawDeg)));
    return found;
  };
  return {
    live: await scores(allTurns, (yawDeg) => renderHead({ ...livenessFrame, seed, yawDeg })),
    print: await scores(attackTurns, (turnDeg) => renderPrint({ ...livenessFrame, head, turnDeg })),
    screen: await scores(attackTurns, (yawDeg) =>
      renderScreen({ ...livenessFrame, head: { ...head, yawDeg }, turnDeg: yawDeg / 6 }),
    ),
  };
}

export const scored = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null);
