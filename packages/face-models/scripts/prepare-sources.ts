// Builds dist/models out of the npm dependencies' weights. Does nothing when it is up to date.
import { fileURLToPath } from 'node:url';
import { prepareBundle } from '../src/build/prepare-bundle.ts';

await prepareBundle(fileURLToPath(new URL('../dist/models', import.meta.url)));
