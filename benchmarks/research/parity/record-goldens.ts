// Writes the digests of what integer networks answer to the golden pictures, by their definition, into
// packages/face-models/src/goldens.json. `npm run record-goldens`, then `npm run format` in the repository. Without
// ../shared, those of add-ons stay as they are.
import { readFile, writeFile } from 'node:fs/promises';
import { networkReference } from '@svc/core/testing/peers';
import { digestOf, goldenInput } from '@svc/face-models';
import { integerPlanOf } from '@svc/face-models/node';
import { floatNetworks } from '../../inputs/engine.ts';

const file = new URL('../../../packages/face-models/src/goldens.json', import.meta.url);
const goldens = JSON.parse(await readFile(file, 'utf8')) as Record<string, object>;
const bundle = await floatNetworks();
for (const entry of Object.values(bundle.manifest.models)) {
  const { name } = entry;
  const plan = integerPlanOf(name, await bundle.read(name));
  if (plan === null) throw new TypeError(`no calibration of ${name}: run record-ranges`);
  goldens[name] = { ...goldens[name], sha256: await digestOf(networkReference(plan, goldenInput(entry))) };
}
await writeFile(file, `${JSON.stringify(goldens)}\n`);
