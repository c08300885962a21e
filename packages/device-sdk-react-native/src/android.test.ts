import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, URL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { generated } from './testing/codegen.ts';

const reactNative = fileURLToPath(new URL('../android/', import.meta.url));
const native = new URL('../../device-sdk-native/', import.meta.url);
const android = fileURLToPath(new URL('android/', native));
const main = join(android, 'device/src/main/kotlin');
const unitTests = join(android, 'device/src/test/kotlin');
const contract = fileURLToPath(new URL('contract', native));

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

const jars = fileURLToPath(new URL('../../../.tools/android/', import.meta.url));
const compiler = dirname(createRequire(import.meta.url).resolve('kotlin-compiler/package.json'));
const inCompiler = (...names: readonly string[]) => names.map((name) => join(compiler, 'lib', `${name}.jar`));
const libraries = inCompiler('kotlin-stdlib', 'kotlinx-coroutines-core-jvm');
const testLibraries = ['json.jar', 'junit.jar', 'hamcrest.jar'].map((name) => join(jars, name));

/** Why Kotlin cannot be checked on this machine; null if it can. */
function missingForKotlin(): string | null {
  if (spawnSync('java', ['-version']).status !== 0) return 'no Java';
  return existsSync(join(jars, 'android-23.jar')) ? null : 'no classes of Android (npm test fetches them on Debian)';
}

const missing = missingForKotlin();
if (missing !== null) process.stdout.write(`skipped: the Android shell: ${missing}\n`);

/** Runs a class on a JVM that starts quickly: the code runs once. @returns whether it went well, and what it said */
async function java(classPath: readonly string[], args: readonly string[]) {
  const quick = ['-Xmx1g', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto'];
  const child = spawn('java', [...quick, '-cp', classPath.join(delimiter), ...args]);
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => said.push(chunk));
  const [code] = await once(child, 'close');
  return { ok: code === 0, text: Buffer.concat(said).toString() };
}

/** Compiles Kotlin; Java among the sources is read for its declarations alone. Warnings are errors. */
function compileKotlin(sources: readonly string[], into: string, against: readonly string[], flags: readonly string[]) {
  const parts = ['kotlin-compiler', 'kotlin-reflect', 'kotlin-script-runtime', 'annotations-13.0'];
  return java(
    [...inCompiler(...parts), ...libraries],
    [
      ...['org.jetbrains.kotlin.cli.jvm.K2JVMCompiler', '-no-stdlib', '-no-reflect', '-Werror'],
      ...['-jvm-target', '1.8', '-module-name', 'device', '-d', into],
      ...['-cp', [...against, ...libraries].join(delimiter), ...flags, ...sources],
    ],
  );
}

const folder = mkdtempSync(join(tmpdir(), 'svc-android-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const [classes, testClasses] = [join(folder, 'classes'), join(folder, 'test-classes')];

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

/** The code of the guide, in an app that has what it names. */
function documented(): string {
  const guide = readFileSync(new URL('../../../docs/build/platforms/android.md', import.meta.url), 'utf8');
  const blocks = [...guide.matchAll(/^```kotlin\n(.*?)^```/gms)].map(
    ([, block], i) => `suspend fun f${i}() {\n${block}}`,
  );
  const app = `@file:Suppress("UNUSED_VARIABLE")
import kotlinx.coroutines.*
import org.svc.device.*
import org.svc.device.contract.*
object R { object id { const val camera = 1 } }
abstract class App(val context: android.content.Context, val lifecycleScope: CoroutineScope) {
  abstract val device: SvcDevice; abstract val scannedId: String; abstract val token: String
  abstract fun <View> findViewById(id: Int): View
  abstract fun show(vararg said: Any?)
  ${blocks.join('\n')}
}`;
  writeFileSync(join(folder, 'App.kt'), app);
  return join(folder, 'App.kt');
}

const testNames = readdirSync(join(unitTests, 'org/svc/device/internal'))
  .filter((name) => name.endsWith('Test.kt'))
  .map((name) => `org.svc.device.internal.${name.replace('.kt', '')}`);

describe.skipIf(missing !== null)('the Android shell', { concurrent: false, timeout: 900_000 }, () => {
  test('shell, the glue for React Native and the guide’s code are well typed against Android 6 and named stubs', async () => {
    const glue = ['src/main/kotlin', 'stubs'].map((name) => join(reactNative, name));
    const sources = [main, join(android, 'stubs'), ...glue, generatedJava(), documented()];
    // Against Android 6 (API 23) instead of the JDK.
    const said = await compileKotlin(sources, classes, [join(jars, 'android-23.jar')], ['-no-jdk']);
    expect(said).toEqual({ ok: true, text: '' });
  });

  // `npm run test:long` sets it.
  test.skipIf(process.env.SVC_TEST_SHELLS === undefined)('its unit tests pass on the JVM', async () => {
    const compiled = await compileKotlin(
      [unitTests],
      testClasses,
      [classes, ...testLibraries],
      [`-Xfriend-paths=${classes}`],
    );
    expect(compiled).toEqual({ ok: true, text: '' });
    const { ok, text } = await java(
      [testClasses, classes, ...testLibraries, ...libraries],
      [`-Dsvc.contract=${contract}`, 'org.junit.runner.JUnitCore', ...testNames],
    );
    expect(text).toMatch(/OK \(\d+ tests\)/);
    expect(ok).toBe(true);
  });
});
