// Writes the golden outputs of every model into packages/face-models/src/goldens.json, from the original libraries.
// `npm run record-goldens`, then `npm run format` in the repository.
// Without ../shared, those of add-ons stay as they are.
import { readFile, writeFile } from 'node:fs/promises';
import { sharedData } from '../../inputs/shared-data.ts';
import { computeGoldens } from './goldens.ts';

const file = new URL('../../../packages/face-models/src/goldens.json', import.meta.url);
const recorded = JSON.parse(await readFile(file, 'utf8')) as object;
const published = {
  minifasnet: sharedData('models', 'minifasnet'),
  retail0095: sharedData('models', 'face-reidentification-retail-0095'),
};
const goldens = { ...recorded, ...(await computeGoldens(published)) };
await writeFile(file, `${JSON.stringify(goldens)}\n`);
