import { fileURLToPath } from 'node:url';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

/** For packages with tests of properties: `setupFiles: [PROPERTY_SEED]` makes their cases the same on every run. */
export const PROPERTY_SEED = fileURLToPath(new URL('vitest.property-seed.ts', import.meta.url));

/**
 * One configuration for every package: sources are read through the `svc-source` export condition, nothing but `wasm`
 * and `face-models` is built first.
 */
export function svcVitest(test: NonNullable<ViteUserConfig['test']> = {}) {
  return defineConfig({
    // Not `module`: what some packages put there is for bundlers, and Node cannot load it.
    resolve: { conditions: ['svc-source', 'node'] },
    ssr: { resolve: { conditions: ['svc-source', 'node'] } },
    // Where vitest runs a global setup.
    environments: { __vitest__: { resolve: { conditions: ['svc-source', 'node'] } } },
    test: {
      include: ['src/**/*.test.ts'],
      environment: 'node',
      // As long as a slow machine takes that is busy with other things. `vi.waitFor` gives up after a second unless told.
      testTimeout: 180_000,
      hookTimeout: 180_000,
      expect: { poll: { timeout: 30_000 } },
      pool: 'forks',
      // A package's test files hold themselves apart: one process loads the sources once for all that it is given.
      isolate: false,
      maxWorkers: 2,
      typecheck: { enabled: false },
      ...test,
    },
  });
}
