import { expectTypeOf } from 'vitest';
import {
  createModelBundle,
  ModelError,
  type ModelManifest,
  type ModelName,
  parseManifest,
  type passiveModelNames,
} from './index.ts';

// Checked by `typecheck` only.
expectTypeOf(parseManifest).toEqualTypeOf<(json: string) => ModelManifest>();
const bundle = createModelBundle({ manifest: parseManifest('{}'), fetch: async () => new Uint8Array() });

expectTypeOf(bundle.read).parameter(0).toEqualTypeOf<ModelName>();
expectTypeOf(bundle.read).returns.resolves.toEqualTypeOf<Uint8Array>();
expectTypeOf<(typeof passiveModelNames)[number]>().toEqualTypeOf<'presence' | 'minifasnet' | 'presence-minifasnet'>();
// @ts-expect-error no such model
bundle.has('no-such-model');
// @ts-expect-error no such code
new ModelError('no-such-code', 'text');
