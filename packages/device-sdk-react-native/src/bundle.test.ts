import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, URL } from 'node:url';
import { getDefaultConfig, mergeConfig } from '@react-native/metro-config';
import { runBuild } from 'metro';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = dirname(fileURLToPath(new URL('../package.json', import.meta.url)));
/** Binaries that the package carries, by Node's name of the system. */
const compilers: Readonly<Record<string, string>> = { linux: 'linux64-bin', darwin: 'osx-bin', win32: 'win64-bin' };
const folder = compilers[process.platform];
const hermesc = join(root, 'node_modules', 'hermes-compiler', 'hermesc', folder ?? '', 'hermesc');

// Metro transforms all of React Native, which takes minutes: `npm run test:long` does.
describe.skipIf(process.env.SVC_TEST_SHELLS === undefined)('the example', () => {
  const out = mkdtempSync(join(tmpdir(), 'svc-bundle-'));
  const bundle = join(out, 'index.bundle.js');
  let code = '';

  beforeAll(async () => {
    const config = mergeConfig(getDefaultConfig(root), {
      watchFolders: [join(root, '..', '..')],
      // All is transformed, here and now: nothing of an earlier run counts.
      cacheStores: [],
      maxWorkers: 1,
      reporter: { update: () => {} },
      resolver: {
        extraNodeModules: { '@svc/device-sdk-react-native': root },
        unstable_conditionNames: ['svc-source', 'require', 'react-native'],
        useWatchman: false,
      },
    });
    const entry = join(root, 'example', 'index.tsx');
    ({ code } = await runBuild(config, {
      entry,
      platform: 'android',
      dev: false,
      minify: false,
      out: bundle,
      // As an app's release build for Hermes has it.
      unstable_transformProfile: 'hermes-stable',
    }));
  }, 300_000);
  afterAll(() => rmSync(out, { recursive: true, force: true }));

  it('is bundled by Metro, with what the codegen makes of the component', () => {
    expect(readFileSync(bundle, 'utf8')).toBe(code);
    expect(code).toContain('SvcDoor');
    expect(code).toMatch(/uiViewClassName: ['"]SvcCameraView['"]/);
  });

  it.skipIf(folder === undefined)('is compiled for Hermes', () => {
    const compiled = join(out, 'index.hbc');
    execFileSync(hermesc, ['-emit-binary', '-O0', '-w', '-out', compiled, bundle]);
    expect(readFileSync(compiled).readBigUInt64LE(0)).toBe(0x1f1903c103bc1fc6n);
    expect(statSync(compiled).size).toBeGreaterThan(100_000);
  });
});
