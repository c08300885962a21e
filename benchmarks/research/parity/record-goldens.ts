// Writes the golden outputs of every model into packages/face-models/src/goldens.json, from the original libraries.
// `npm run record-goldens`, then `npm run format` in the repository.
// Without ../shared, those of add-ons stay as they are.
import { readFile, writeFile } from 'node:fs/promises';
import { computeGoldens } from './goldens.ts';

const file = new URL('../../../packages/face-models/src/goldens.json', import.meta.url);
const recorded = JSON.parse(await readFile(file, 'utf8')) as object;
const goldens = { ...recorded, ...(await computeGoldens()) };
await writeFile(file, `${JSON.stringify(goldens)}\n`);
