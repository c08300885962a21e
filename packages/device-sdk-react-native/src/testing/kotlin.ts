import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const jars = fileURLToPath(new URL('../../../../.tools/android/', import.meta.url));
const compiler = dirname(createRequire(import.meta.url).resolve('kotlin-compiler/package.json'));
const inCompiler = (...names: readonly string[]) => names.map((name) => join(compiler, 'lib', `${name}.jar`));
const libraries = inCompiler('kotlin-stdlib', 'kotlinx-coroutines-core-jvm');

/** What a process said, and whether it succeeded. */
export interface Said {
  readonly ok: boolean;
  readonly text: string;
}

/** Sources and where their classes go. */
export interface Compilation {
  readonly sources: readonly string[];
  readonly into: string;
  /** Against Android 6 (API 23) instead of the JDK. */
  readonly android?: boolean;
  /** Folders of classes whose internal members are visible. */
  readonly friends?: readonly string[];
}

/** Why Kotlin cannot be checked on this machine; null if it can. */
export function missingForKotlin(): string | null {
  if (spawnSync('java', ['-version']).status !== 0) return 'no Java';
  if (!existsSync(join(jars, 'android-23.jar'))) return 'no classes of Android (npm test fetches them on Debian)';
  return null;
}

/** A JVM that starts quickly: the code runs once. */
async function java(args: readonly string[]): Promise<Said> {
  const child = spawn('java', ['-Xmx1g', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto', ...args]);
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => said.push(chunk));
  const [code] = await once(child, 'close');
  return { ok: code === 0, text: Buffer.concat(said).toString() };
}

const testLibraries = ['json.jar', 'junit.jar', 'hamcrest.jar'].map((name) => join(jars, name));

/** Compiles Kotlin; Java among the sources is read for its declarations alone. Warnings are errors. */
export async function compileKotlin({ sources, into, android = false, friends = [] }: Compilation): Promise<Said> {
  const classes = [...friends, ...(android ? [join(jars, 'android-23.jar')] : testLibraries), ...libraries];
  return java([
    '-cp',
    inCompiler(
      'kotlin-compiler',
      'kotlin-stdlib',
      'kotlin-reflect',
      'kotlin-script-runtime',
      'annotations-13.0',
      'kotlinx-coroutines-core-jvm',
    ).join(delimiter),
    'org.jetbrains.kotlin.cli.jvm.K2JVMCompiler',
    '-no-stdlib',
    '-no-reflect',
    ...(android ? ['-no-jdk'] : []),
    '-Werror',
    ...['-jvm-target', '1.8', '-module-name', 'device', '-d', into, '-cp', classes.join(delimiter)],
    ...(friends.length > 0 ? [`-Xfriend-paths=${friends.join(',')}`] : []),
    ...sources,
  ]);
}

/** Runs classes of JUnit tests; classes of earlier folders replace those of later ones. */
export function runJUnit(
  tests: readonly string[],
  folders: readonly string[],
  properties: Readonly<Record<string, string>>,
): Promise<Said> {
  return java([
    ...Object.entries(properties).map(([name, value]) => `-D${name}=${value}`),
    '-cp',
    [...folders, ...testLibraries, ...libraries].join(delimiter),
    'org.junit.runner.JUnitCore',
    ...tests,
  ]);
}
