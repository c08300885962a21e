// Writes the golden outputs of every model into packages/face-models/src/goldens.json, from the original libraries.
// `pnpm --filter @svc/e2e record-goldens`, then `npm run format`.
import { writeFile } from 'node:fs/promises';
import { sharedData } from '../support/shared-data.ts';
import { computeGoldens } from './goldens.ts';

const minifasnet = sharedData('models', 'minifasnet');
if (minifasnet === null) throw new Error('the checkpoints of MiniFASNet are needed, in ../shared/models/minifasnet');
const goldens = await computeGoldens(minifasnet);
await writeFile(
  new URL('../../../../packages/face-models/src/goldens.json', import.meta.url),
  `${JSON.stringify(goldens)}\n`,
);
