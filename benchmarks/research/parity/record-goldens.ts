// Writes the golden outputs of every model into packages/face-models/src/goldens.json: from the original libraries those
// of floats, and the digests of integers from their definition. `npm run record-goldens`, then `npm run format` in
// the repository. Without ../shared, those of add-ons stay as they are.
import { readFile, writeFile } from 'node:fs/promises';
import { computeDigests, computeGoldens } from './goldens.ts';

const file = new URL('../../../packages/face-models/src/goldens.json', import.meta.url);
const goldens = JSON.parse(await readFile(file, 'utf8')) as Record<string, object>;
for (const [name, original] of Object.entries(await computeGoldens()))
  goldens[name] = { ...goldens[name], ...original };
// Those of integers need a calibration, and `record-ranges` makes it of networks with golden outputs.
await writeFile(file, `${JSON.stringify(goldens)}\n`);
for (const [name, sha256] of Object.entries(await computeDigests())) goldens[name] = { ...goldens[name], sha256 };
await writeFile(file, `${JSON.stringify(goldens)}\n`);
