import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { compileKotlin, missingForKotlin, runJUnit } from './testing/kotlin.ts';

const android = fileURLToPath(new URL('../android/', import.meta.url));
const reactNative = fileURLToPath(new URL('../../device-sdk-react-native/android/', import.meta.url));
const main = join(android, 'device/src/main/kotlin');
const unitTests = join(android, 'device/src/test/kotlin');
const internal = join(main, 'org/svc/device/internal');
const properties = { 'svc.contract': fileURLToPath(new URL('../contract', import.meta.url)) };

test('versions are the same in every file', () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
  const { version, devDependencies } = JSON.parse(read('../package.json'));
  expect(read('../android/device/build.gradle.kts')).toContain(`version = "${version}"`);
  expect(read('../android/device/src/main/kotlin/org/svc/device/SvcDevice.kt')).toContain(
    `SHELL_VERSION = "${version}"`,
  );
  expect(read('../android/build.gradle.kts')).toContain(
    `"org.jetbrains.kotlin.android") version "${devDependencies['kotlin-compiler']}"`,
  );
});

test('the permission for the camera implies no camera that a tablet at a door may lack', () => {
  const manifest = readFileSync(join(main, '../AndroidManifest.xml'), 'utf8');
  for (const implied of ['android.hardware.camera', 'android.hardware.camera.autofocus']) {
    expect(manifest).toContain(`<uses-feature android:name="${implied}" android:required="false" />`);
  }
});

const missing = missingForKotlin();
if (missing !== null) process.stdout.write(`skipped: the Android shell: ${missing}\n`);

const folder = mkdtempSync(join(tmpdir(), 'svc-android-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const [classes, testClasses, broken, resources] = ['classes', 'test-classes', 'broken', 'resources'].map((name) =>
  join(folder, name),
) as [string, string, string, string];
/** The schema lies where the build puts it. */
const schemaAt = join(resources, 'org/svc/device/contract/v1.schema.json');
mkdirSync(dirname(schemaAt), { recursive: true });
copyFileSync(join(properties['svc.contract'], 'v1.schema.json'), schemaAt);

const testNames = readdirSync(join(unitTests, 'org/svc/device/internal'))
  .filter((name) => name.endsWith('Test.kt'))
  .map((name) => `org.svc.device.internal.${name.replace('.kt', '')}`);

/** Mistakes in the shell's own code: the file, what is there, what replaces it, and the test that has to fail. */
const planted = [
  {
    file: 'Hpke.kt',
    from: '|| y.pow(2).mod(p) != right',
    to: '',
    fails: 'HpkeTest',
  },
  { file: 'Guard.kt', from: 'nowMs >= eraseAtMs', to: 'nowMs < eraseAtMs', fails: 'GuardTest' },
  { file: 'Dialogue.kt', from: 'pending[id]?.name == name', to: 'true', fails: 'ConversationTest' },
] as const;

describe.skipIf(missing !== null)('the Android shell', { concurrent: false, timeout: 900_000 }, () => {
  test('shell, sample and the glue for React Native and Flutter are well typed against Android 6 and named stubs', async () => {
    const others = ['sample/src/main/kotlin', 'stubs/kotlin', 'stubs/java'].map((name) => join(android, name));
    const glue = [
      ...['src/main/kotlin', 'stubs/kotlin', 'stubs/java'].map((name) => join(reactNative, name)),
      ...['android/src/main/kotlin', 'stubs'].map((name) => join(android, '../flutter', name)),
    ];
    const said = await compileKotlin({ sources: [main, ...others, ...glue], into: classes, android: true });
    expect(said).toEqual({ ok: true, text: '' });
  });

  test('its unit tests pass on the JVM', async () => {
    const compiled = await compileKotlin({ sources: [unitTests], into: testClasses, friends: [classes] });
    expect(compiled).toEqual({ ok: true, text: '' });
    const { ok, text } = await runJUnit(testNames, [testClasses, classes, resources], properties);
    expect(text).toMatch(/OK \(\d+ tests\)/);
    expect(ok).toBe(true);
  });

  test('planted mistakes of types are found', async () => {
    const source = join(folder, 'Planted.kt');
    writeFileSync(
      source,
      `package org.svc.device.internal
import android.webkit.WebSettings
fun wrongType(): Int = toBase64Url(ByteArray(1))
fun missingMethod(folder: DurableFolder) = folder.writeAll("x")
fun newerThanApi24(settings: WebSettings) = settings.setSafeBrowsingEnabled(false)
fun newerJava(bytes: ByteArray): String = java.util.Base64.getEncoder().encodeToString(bytes)
class Later : android.webkit.WebViewClient() { override fun onSafeBrowsingHit() = Unit }
`,
    );
    const { ok, text } = await compileKotlin({
      sources: [source],
      into: join(folder, 'planted'),
      android: true,
      friends: [classes],
    });
    expect(ok).toBe(false);
    const found = [...text.matchAll(/Planted\.kt:(\d+):\d+: error/g)].map(([, line]) => Number(line));
    expect([...new Set(found)].sort()).toEqual([3, 4, 5, 6, 7]);
  });

  test('planted mistakes of logic are found', async () => {
    mkdirSync(join(folder, 'mutated'));
    const sources = planted.map(({ file, from, to }) => {
      const text = readFileSync(join(internal, file), 'utf8');
      expect(text).toContain(from);
      const path = join(folder, 'mutated', file);
      writeFileSync(path, text.replace(from, to));
      return path;
    });
    const compiled = await compileKotlin({ sources, into: broken, friends: [classes] });
    expect(compiled).toEqual({ ok: true, text: '' });
    const tests = planted.map(({ fails }) => `org.svc.device.internal.${fails}`);
    const { ok, text } = await runJUnit(tests, [broken, testClasses, classes, resources], properties);
    expect(ok).toBe(false);
    for (const name of tests) expect(text).toContain(`(${name})`);
  });
});
