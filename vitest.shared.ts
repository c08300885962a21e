import { defineConfig, type ViteUserConfig } from 'vitest/config';

/** One configuration for every package: sources are read through the `svc-source` export condition, nothing but `wasm` and `face-models` is built first. */
export function svcVitest(test: NonNullable<ViteUserConfig['test']> = {}) {
  return defineConfig({
    resolve: { conditions: ['svc-source', 'module', 'node'] },
    ssr: { resolve: { conditions: ['svc-source', 'module', 'node'] } },
    test: {
      include: ['src/**/*.test.ts'],
      environment: 'node',
      testTimeout: 60_000,
      hookTimeout: 120_000,
      pool: 'forks',
      maxWorkers: 2,
      reporters: ['default'],
      typecheck: { enabled: false },
      ...test,
    },
  });
}
