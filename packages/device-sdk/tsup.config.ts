import { readFileSync } from 'node:fs';
import { defineConfig } from 'tsup';

// A release names a JSON file of base addresses and signing keys: { "EU": { "baseUrl": …, "signingKeys": […] }, "US": … }.
const pinned = process.env.SVC_PINNED_REGIONS;

export default defineConfig({
  entry: ['src/index.ts', 'src/contracts/index.ts'],
  format: ['esm', 'cjs'],
  dts: true,
  clean: true,
  sourcemap: false,
  target: 'es2022',
  define:
    pinned === undefined ? {} : { __SVC_PINNED_REGIONS__: JSON.stringify(JSON.parse(readFileSync(pinned, 'utf8'))) },
});
