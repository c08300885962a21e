// Builds dist/models from the weights in npm dependencies. Does nothing if it is up to date.
import { fileURLToPath } from 'node:url';
import { prepareBundle } from '../src/build/prepare-bundle.ts';

await prepareBundle(fileURLToPath(new URL('../dist/models', import.meta.url)));
