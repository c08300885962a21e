// A program of its own: draws some of the people, told by its parent who; answers with what it found of each.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { renderHead } from '@svc/synthetic-faces';
import { encodePng } from '@svc/synthetic-faces/node';
import { findFaces } from './find-faces.ts';
import { framesOf } from './people-plan.ts';
import type { SourcePicture } from './sources-index.ts';

/** What one person came to. */
export interface ExportedPerson {
  readonly seed: number;
  readonly pictures: readonly SourcePicture[];
  readonly excluded: readonly Readonly<Record<string, number>>[];
}

const [, , folder = '', ...seeds] = process.argv;
const { engine, runtime } = await createNodeFaceEngine({ addOnDirectory: null });

async function exportPerson(seed: number): Promise<ExportedPerson> {
  const pictures: SourcePicture[] = [];
  const excluded: Readonly<Record<string, number>>[] = [];
  for (const { file, identity, options } of framesOf(seed)) {
    const frame = renderHead(options);
    const found = await findFaces(engine, frame, false);
    excluded.push(found.excluded);
    // One person is in it: a second face would be something in the room.
    const [face] = found.faces;
    if (face === undefined) continue;
    const { template: _, ...rest } = face;
    const { width, height } = frame;
    pictures.push({ file, kind: 'rendered', source: 'rendered', identity, recording: file, width, height, ...rest });
    await writeFile(join(folder, file), await encodePng(frame));
  }
  return { seed, pictures, excluded };
}

for (const seed of seeds) process.send?.(await exportPerson(Number(seed)));
engine.dispose();
runtime.dispose();
process.disconnect();
