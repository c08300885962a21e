import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { generated } from './testing/codegen.ts';
import { compileKotlin, missingForKotlin, runJUnit } from './testing/kotlin.ts';

const reactNative = fileURLToPath(new URL('../android/', import.meta.url));
const native = new URL('../../device-sdk-native/', import.meta.url);
const android = fileURLToPath(new URL('android/', native));
const main = join(android, 'device/src/main/kotlin');
const unitTests = join(android, 'device/src/test/kotlin');
const properties = { 'svc.contract': fileURLToPath(new URL('contract', native)) };

test('versions are the same in every file', () => {
  const read = (path: string) => readFileSync(join(android, path), 'utf8');
  const { version, devDependencies } = JSON.parse(readFileSync(join(reactNative, '../package.json'), 'utf8'));
  expect(read('device/build.gradle.kts')).toContain(`version = "${version}"`);
  expect(read('device/src/main/kotlin/org/svc/device/SvcDevice.kt')).toContain(`SHELL_VERSION = "${version}"`);
  expect(read('build.gradle.kts')).toContain(
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
const [classes, testClasses, resources] = ['classes', 'test-classes', 'resources'].map((name) =>
  join(folder, name),
) as [string, string, string];
/** The schema lies where the build puts it. */
const schemaAt = join(resources, 'org/svc/device/contract/v1.schema.json');
mkdirSync(dirname(schemaAt), { recursive: true });
copyFileSync(join(properties['svc.contract'], 'v1.schema.json'), schemaAt);

/** What React Native's codegen makes of the specs, with the annotations that it names, in a folder for the compiler. */
function generatedJava(): string {
  const java = join(folder, 'java');
  mkdirSync(java);
  const files = new Map([
    ...generated('generateModuleJavaSpec'),
    ...generated('generatePropsJavaInterface'),
    ...generated('generatePropsJavaDelegate'),
  ]);
  for (const name of [
    'com.facebook.proguard.annotations.DoNotStrip',
    'javax.annotation.Nonnull',
    'androidx.annotation.Nullable',
  ]) {
    const [, where, annotation] = /^(.*)\.(\w+)$/.exec(name) ?? [];
    files.set(`${annotation}.java`, `package ${where};\npublic @interface ${annotation} {}\n`);
  }
  for (const [name, text] of files) {
    const path = join(java, (/^package ([\w.]+);/m.exec(text)?.[1] ?? '').replaceAll('.', '/'), name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return java;
}

const testNames = readdirSync(join(unitTests, 'org/svc/device/internal'))
  .filter((name) => name.endsWith('Test.kt'))
  .map((name) => `org.svc.device.internal.${name.replace('.kt', '')}`);

describe.skipIf(missing !== null)('the Android shell', { concurrent: false, timeout: 900_000 }, () => {
  test('shell and the glue for React Native are well typed against Android 6 and named stubs', async () => {
    const glue = ['src/main/kotlin', 'stubs'].map((name) => join(reactNative, name));
    const said = await compileKotlin({
      sources: [main, join(android, 'stubs'), ...glue, generatedJava()],
      into: classes,
      android: true,
    });
    expect(said).toEqual({ ok: true, text: '' });
  });

  // `npm run test:long` sets it.
  test.skipIf(process.env.SVC_TEST_SHELLS === undefined)('its unit tests pass on the JVM', async () => {
    const compiled = await compileKotlin({ sources: [unitTests], into: testClasses, friends: [classes] });
    expect(compiled).toEqual({ ok: true, text: '' });
    const { ok, text } = await runJUnit(testNames, [testClasses, classes, resources], properties);
    expect(text).toMatch(/OK \(\d+ tests\)/);
    expect(ok).toBe(true);
  });
});
