import type { FaceAnalysis, FaceEngine } from '@svc/face-engine';
import type { RenderedImage } from '@svc/synthetic-faces';

export interface Enrolled {
  readonly embedding: Float32Array;
  readonly analysis: FaceAnalysis;
  readonly detections: number;
  readonly score: number;
}

/** Detects, analyses and embeds the one face of a render; null when the engine finds none that is surely a face. */
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
