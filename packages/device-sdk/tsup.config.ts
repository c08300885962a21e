import { readFileSync } from 'node:fs';
import { svcPackage } from '../../tooling/tsup.shared.ts';

// A release names a JSON file of base URLs and signing keys: { "EU": { "baseUrl": …, "signingKeys": […] }, "US": … }.
const pinned = process.env.SVC_PINNED_REGIONS;

export default svcPackage({
  entry: ['src/index.ts', 'src/adapters.ts', 'src/evaluation.ts'],
  define:
    pinned === undefined ? {} : { __SVC_PINNED_REGIONS__: JSON.stringify(JSON.parse(readFileSync(pinned, 'utf8'))) },
});
