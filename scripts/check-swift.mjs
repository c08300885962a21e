// The iOS shell's sources: compiled as Swift 6 against stubs of Apple's frameworks, with what other languages call; then
// its tests run. Without a compiler one line says so; `--install` installs Debian's, and `--try-install` goes on without
// where that fails.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, SetupError, script, setup } from './lib/setup.mjs';
import { installSwift, swift } from './lib/swift.mjs';

const ios = join(root, 'packages/device-sdk-native/ios');
/** In the order in which they import each other. */
const STUBS = ['Darwin', 'Security', 'CryptoKit', 'UIKit', 'WebKit', 'AVFoundation', 'BackgroundTasks', 'SwiftUI'];
const SETTINGS = ['-swift-version', '6', '-parse-as-library', '-warnings-as-errors', '-suppress-remarks'];

/** Swift files of a folder, at any depth. */
const swiftFiles = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.swift'))
    .map((name) => join(folder, name))
    .sort();

/** Fails with what the compiler or the tests said. */
function must(what, { status, stdout, stderr }) {
  if (status !== 0) throw new SetupError(`${what}\n${stdout}${stderr}`);
}

/** Compiles sources into a module with the outputs of one: an object and what others import. */
function compile(run, modules, name, ...sources) {
  const outputs = ['-emit-module-path', join(modules, `${name}.swiftmodule`), '-o', join(modules, `${name}.o`)];
  const args = [...SETTINGS, '-wmo', '-c', '-emit-module', '-module-name', name, '-I', modules, ...outputs, ...sources];
  must(name, run('swiftc', args));
}

/** What Objective-C calls, for .NET and React Native. Linux has no runtime for its attributes. */
const FOR_OBJECTIVE_C = 'ObjectiveC/SvcDeviceBinding.swift';

/** Type-checks what other languages call. */
function checkBinding(run, modules) {
  const bare = join(modules, 'bare.swift');
  const text = readFileSync(join(ios, FOR_OBJECTIVE_C), 'utf8').replace(/@objc(?:\([\w:]+\))?/g, '');
  writeFileSync(bare, `import SvcDevice\n${text}`);
  const args = [...SETTINGS, '-typecheck', '-module-name', 'Binding', '-I', modules, bare];
  must(FOR_OBJECTIVE_C, run('swiftc', args));
}

/** Runs the handler of the page's loads, which needs no more of WebKit than the stubs have. */
function checkStoppedLoad(run, work) {
  const program = join(work, 'stopped-load');
  const sources = ['stubs/StoppedLoad', 'Sources/SvcDevice/Apple/AssetHandler', 'Sources/SvcDevice/Core/Assets'];
  const objects = ['UIKit', 'WebKit'].map((name) => join(work, `${name}.o`));
  const files = [...sources.map((name) => join(ios, `${name}.swift`)), ...objects];
  must('StoppedLoad', run('swiftc', [...SETTINGS, '-module-name', 'StoppedLoad', '-I', work, '-o', program, ...files]));
  must('a load of the page that was stopped was called', run(program, [work]));
}

script(() => {
  const startedAt = performance.now();
  if (process.argv.includes('--install')) installSwift();
  if (process.argv.includes('--try-install')) {
    try {
      installSwift();
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
      process.stdout.write(`skipped: the iOS shell: ${error.message.split('\n')[0]}\n`);
      return;
    }
  }
  const run = swift();
  if (run === null) {
    process.stdout.write('skipped: the iOS shell, no swiftc (on Debian as root: npm run check:swift -- --install)\n');
    return;
  }
  // The contract's types are written before.
  setup();
  const work = mkdtempSync(join(tmpdir(), 'svc-swift-'));
  try {
    for (const name of STUBS) compile(run, work, name, join(ios, 'stubs', `${name}.swift`));
    // Finds more than a type check: data races, exclusive access, and what is not initialised.
    compile(run, work, 'SvcDevice', ...swiftFiles(join(ios, 'Sources/SvcDevice')));
    checkBinding(run, work);
    checkStoppedLoad(run, work);
    const paths = ['--package-path', ios, '--scratch-path', join(work, 'build')];
    const tested = run('swift-test', [...paths, '--disable-sandbox', '--disable-swift-testing']);
    must('tests of the iOS shell', tested);
    // The sum comes after the count of each suite.
    const counts = `${tested.stdout}${tested.stderr}`.matchAll(/Executed (\d+) tests, with 0 failures/g);
    const count = [...counts].at(-1)?.[1];
    if (!(Number(count) > 0)) throw new SetupError('the tests of the iOS shell were not run');
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    process.stdout.write(`the iOS shell: ${STUBS.length} stubs, ${count} tests (${seconds} s)\n`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
});
