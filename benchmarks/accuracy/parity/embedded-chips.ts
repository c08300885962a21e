import type { PixelImage } from '@svc/core';
import type { FaceEngine } from '@svc/face-engine';
import type { RecordedRun } from './recording-runtime.ts';

/** What `runs` records while the engine itself embeds the surest face in a picture: every chip that it looks at. */
export async function embeddedChips(
  engine: FaceEngine,
  runs: RecordedRun[],
  image: PixelImage,
): Promise<RecordedRun[]> {
  const frame = engine.open(image);
  const [detection] = await engine.detect(frame);
  const analysis = detection === undefined ? null : await engine.analyse(frame, detection);
  runs.length = 0;
  if (analysis !== null) await engine.embed(frame, analysis);
  frame.dispose();
  return runs.splice(0);
}
