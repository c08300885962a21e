// The iOS shell's sources: compiled as Swift 6 against stubs of Apple's frameworks, with what other languages' packages
// have in Swift; its tests run, and with `--mistakes` that planted mistakes are found. Without a compiler one line says
// so; `--install` installs Debian's, and `--try-install` goes on without where that fails.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, SetupError, script } from './lib/setup.mjs';
import { installSwift, swift } from './lib/swift.mjs';

const ios = join(root, 'packages/device-sdk-native/ios');
/** In the order in which they import each other. */
const STUBS = ['Darwin', 'Security', 'CryptoKit', 'UIKit', 'WebKit', 'AVFoundation', 'BackgroundTasks', 'SwiftUI'];
const SETTINGS = ['-swift-version', '6', '-parse-as-library', '-warnings-as-errors', '-suppress-remarks'];

/** What the checks must find. `says`: of the compiler; without it the tests must fail. */
const MISTAKES = [
  {
    name: 'a wrong type',
    file: 'Apple/Keychain.swift',
    from: 'return Secret(copying: content)',
    to: 'return content',
    says: /cannot convert return expression of type 'Data'/,
  },
  {
    name: 'a missing await',
    file: 'Apple/SvcDevice.swift',
    from: 'await shell.dispose()',
    to: 'shell.dispose()',
    says: /'async' but is not marked with 'await'/,
  },
  {
    name: 'a call into the main actor from outside',
    file: 'Apple/SvcUnattendedErasure.swift',
    from: 'Task { await SvcDevice.dataErased() }',
    to: 'SvcDevice.dataErased()',
    says: /main actor-isolated/,
  },
  {
    name: 'state that two actors share',
    file: 'Core/KeyStore.swift',
    from: 'actor KeyStore {',
    to: 'final class KeyStore {',
    says: /non-sendable type 'KeyStore'/,
  },
  {
    name: 'an API newer than iOS 15 of a framework',
    file: 'Apple/WebPage.swift',
    from: 'view.allowsLinkPreview = false',
    to: 'view.isInspectable = true',
    says: /since iOS 16\.4/,
  },
  {
    name: 'a delegate of another form',
    file: 'Apple/WebPage.swift',
    from: 'func webViewWebContentProcessDidTerminate(_ webView: WKWebView) {',
    to: 'func webViewWebContentProcessTerminated(_ webView: WKWebView) {',
    says: /does not conform to protocol 'WKNavigationDelegate'/,
  },
  {
    name: 'HPKE of another suite',
    file: 'Core/KeyDerivation.swift',
    from: '[0x00, 0x10, 0x00, 0x01, 0x00, 0x02]',
    to: '[0x00, 0x10, 0x00, 0x01, 0x00, 0x01]',
  },
  {
    name: 'a result that the page did not give',
    file: 'Core/Shell.swift',
    from: 'guard answer.result.isOneForm else { return endAttempt',
    to: 'guard answer.result.isOneForm || !answer.result.isOneForm else { return endAttempt',
  },
  {
    name: 'packs deleted before their keys',
    file: 'Core/EraseGuard.swift',
    from: '    try storage.deleteDataKeys()\n',
    to: '    try folder.empty(PackStore.packs)\n    try storage.deleteDataKeys()\n',
  },
];

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

function compileStubs(run, modules) {
  for (const name of STUBS) {
    const args = [...SETTINGS, '-emit-module', '-emit-object', '-module-name', name, '-I', modules];
    const outputs = ['-emit-module-path', join(modules, `${name}.swiftmodule`), '-o', join(modules, `${name}.o`)];
    must(`stub ${name}`, run('swiftc', [...args, ...outputs, join(ios, 'stubs', `${name}.swift`)]));
  }
}

/**
 * Compiles the shell against the stubs, which finds more than a type check: data races, exclusive access, and what is not
 * initialised. `sources` is the folder of the target.
 */
function compile(run, modules, sources) {
  const outputs = [
    '-emit-module',
    '-emit-module-path',
    join(modules, 'SvcDevice.swiftmodule'),
    '-o',
    join(modules, 'SvcDevice.o'),
  ];
  return run('swiftc', [
    ...SETTINGS,
    '-wmo',
    '-c',
    ...outputs,
    '-module-name',
    'SvcDevice',
    '-I',
    modules,
    ...swiftFiles(sources),
  ]);
}

/** What Objective-C calls, for .NET and React Native. Linux has no runtime for its attributes. */
const FOR_OBJECTIVE_C = 'ObjectiveC/SvcDeviceBinding.swift';

/** Type-checks what other languages' packages have in Swift; Flutter's plugin against stubs of its engine. */
function checkBindings(run, modules) {
  const flutter = join(ios, '../flutter');
  const stub = ['-emit-module', '-module-name', 'Flutter', '-o', join(modules, 'Flutter.swiftmodule')];
  must('stub Flutter', run('swiftc', [...SETTINGS, ...stub, '-I', modules, join(flutter, 'stubs/Flutter.swift')]));
  const check = (name, sources) =>
    must(name, run('swiftc', [...SETTINGS, '-typecheck', '-module-name', 'Binding', '-I', modules, ...sources]));
  check('Flutter’s plugin', swiftFiles(join(flutter, 'ios/svc_device/Sources/svc_device')));
  const bare = join(modules, 'bare.swift');
  const text = readFileSync(join(ios, FOR_OBJECTIVE_C), 'utf8').replace(/@objc(?:\([\w:]+\))?/g, '');
  writeFileSync(bare, `import SvcDevice\n${text}`);
  check(FOR_OBJECTIVE_C, [bare]);
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

const test = (run, packageFolder, scratch) =>
  run('swift-test', [
    '--package-path',
    packageFolder,
    '--scratch-path',
    scratch,
    '--disable-sandbox',
    '--disable-swift-testing',
  ]);

/** A copy of the package with one mistake in it. */
function planted(work, { file, from, to }) {
  const copy = join(work, 'ios');
  rmSync(copy, { recursive: true, force: true });
  cpSync(ios, copy, { recursive: true });
  const path = join(copy, 'Sources/SvcDevice', file);
  const text = readFileSync(path, 'utf8');
  if (text.split(from).length !== 2) throw new SetupError(`${file} has no one place for the mistake «${from}»`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  return copy;
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
  const work = mkdtempSync(join(tmpdir(), 'svc-swift-'));
  try {
    compileStubs(run, work);
    must('the iOS shell', compile(run, work, join(ios, 'Sources/SvcDevice')));
    must(
      'the iOS sample',
      run('swiftc', [
        ...SETTINGS,
        '-typecheck',
        '-module-name',
        'Sample',
        '-I',
        work,
        ...swiftFiles(join(ios, 'Sample')),
      ]),
    );
    checkBindings(run, work);
    checkStoppedLoad(run, work);
    const tested = test(run, ios, join(work, 'build'));
    must('tests of the iOS shell', tested);
    // The sum comes after the count of each suite.
    const counts = `${tested.stdout}${tested.stderr}`.matchAll(/Executed (\d+) tests, with 0 failures/g);
    const count = [...counts].at(-1)?.[1];
    if (!(Number(count) > 0)) throw new SetupError('the tests of the iOS shell were not run');
    for (const mistake of process.argv.includes('--mistakes') ? MISTAKES : []) {
      const copy = planted(work, mistake);
      // The tests read the vectors beside the package.
      cpSync(join(ios, '../contract'), join(work, 'contract'), { recursive: true });
      const { status, stdout, stderr } = mistake.says
        ? compile(run, work, join(copy, 'Sources/SvcDevice'))
        : test(run, copy, join(work, 'planted'));
      const said = `${stdout}${stderr}`;
      const isFound = status !== 0 && (mistake.says ?? /with [1-9]\d* failure/).test(said);
      if (!isFound) throw new SetupError(`not found: ${mistake.name}\n${said}`);
      process.stdout.write(`found: ${mistake.name}\n`);
    }
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    process.stdout.write(`the iOS shell: ${STUBS.length} stubs, ${count} tests (${seconds} s)\n`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
});
