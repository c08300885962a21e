// Checks every publishable package as npm would get it: installed from its tarball in a strict TypeScript project, a
// program that uses it is type-checked and runs, as a module and as CommonJS, and its types agree for both (attw).
// `npm run release -- --rehearse` installs them from a registry, in more kinds of project.
import { deepEqual, match, ok, throws } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './lib/setup.mjs';
import { manifestOf, sizeOf, withDependencies } from './package/npm-packages.mjs';
import { checkPrograms } from './tarballs/check-programs.mjs';
import { createThrowawayProject } from './tarballs/throwaway-project.mjs';

const execute = promisify(execFile);

async function checkTypes({ name, path, manifest }) {
  // Not node10: a resolution without `exports` finds only the main entry point.
  const args = [path, '--profile', 'node16', '--format', 'ascii', '--no-emoji', '--no-color'];
  // Expo's config plugin is found by its name and has no types.
  if ('./app.plugin.js' in manifest.exports) args.push('--exclude-entrypoints', './app.plugin.js');
  await execute(join(root, 'node_modules', '.bin', 'attw'), args, { maxBuffer: 1 << 26 }).catch((error) => {
    process.stdout.write(`${name}: ${error.stdout}${error.stderr}\n`);
    process.exitCode = 1;
  });
}

/** React Native's package has sources that only Metro, codegen, Gradle and CocoaPods read. */
function checkPackedFiles({ directory, config }) {
  const require = createRequire(join(directory, 'package.json'));
  const folder = join(directory, 'node_modules', config.scope, 'device-sdk-react-native');
  const { codegenConfig, exports } = manifestOf(folder);
  const needed = [
    exports['.']['react-native'].default,
    `${codegenConfig.jsSrcsDir}/NativeSvcDevice.ts`,
    'SvcDeviceReactNative.podspec',
    'android/build.gradle',
    'app.plugin.js',
    'dist/shell/android/src/main/AndroidManifest.xml',
    'dist/shell/android/src/main/kotlin/org/svc/device/SvcDevice.kt',
    'dist/shell/android/src/main/kotlin/org/svc/device/contract/Contract.kt',
    'dist/shell/ios/Apple/SvcDevice.swift',
    'dist/shell/ios/Contract/Contract.swift',
    'dist/shell/ios/SvcDeviceBinding.swift',
    'react-native.config.js',
  ];
  for (const file of needed) ok(existsSync(join(folder, file)), `${file} is missing`);
  ok(!existsSync(join(folder, 'src/testing')) && !existsSync(join(folder, 'src/device.test.ts')));
  const { createPlugin } = require(join(folder, 'dist/expo/plugin.js'));
  throws(() => createPlugin({})({ name: 'Door', slug: 'door' }), /svc-device-assets/);
}

/** Each package has its licence, and beside what it redistributes the licences of that. */
function checkLicences({ directory, tarballs }) {
  for (const { name } of tarballs) {
    const at = join(directory, 'node_modules', name);
    const has = (file, words) => match(readFileSync(join(at, file), 'utf8'), words);
    has('LICENSE', /Apache License/);
    if (!existsSync(join(at, 'dist/base-models'))) continue;
    has('dist/base-models/Apache-2.0.txt', /Apache License/);
    has('dist/base-models/NOTICE', /BlazeFace/);
    has('dist/base-models/MIT-face-api.txt', /MIT License/);
  }
}

/** Megabytes that `npm install` may put into an empty folder, dependencies included. */
const MOST_MB = { 'server-sdk': 1, 'device-sdk-node': 80, 'device-sdk-web': 80 };

function checkInstalledSize({ directory, config }, short) {
  const name = `${config.scope}/${short}`;
  const found = [...withDependencies([name], directory)];
  // npm installs peers by itself, and what they need.
  const peers = found.flatMap(([folder]) => {
    const { peerDependencies = {}, peerDependenciesMeta = {} } = manifestOf(folder);
    return Object.keys(peerDependencies).filter((peer) => peerDependenciesMeta[peer]?.optional !== true);
  });
  const missing = peers.filter((peer) => !found.some(([, installed]) => installed === peer));
  deepEqual(missing, []);
  const megabytes = found.reduce((sum, [folder]) => sum + sizeOf(folder).bytes, 0) / 1e6;
  ok(megabytes <= MOST_MB[short], `${name} and its dependencies have ${megabytes.toFixed(1)} MB`);
  return `${name} ${megabytes.toFixed(1)} MB`;
}

const project = await createThrowawayProject();
try {
  checkPackedFiles(project);
  checkLicences(project);
  const sizes = Object.keys(MOST_MB).map((name) => checkInstalledSize(project, name));
  // The native compiler: all projects together take a few seconds.
  const compiler = join(root, 'tooling/node_modules/typescript-native/bin/tsc');
  const { checked, failures } = checkPrograms(project.directory, compiler, project.tarballs, project.config);
  if (failures.length > 0) process.exitCode = 1;
  for (const failure of failures) process.stdout.write(`${failure}\n`);
  // Two at a time: each loads a compiler of its own.
  // The widget's package is a script with the types of what it adds to a page, without an entry point to import.
  const waiting = project.tarballs.filter(({ name }) => !name.endsWith('/widget'));
  const checkNext = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await checkTypes(next);
  };
  await Promise.all([checkNext(), checkNext()]);
  if (process.exitCode === undefined)
    process.stdout.write(
      `${project.tarballs.length} tarballs installed (${sizes.join(', ')}), ${checked} programs type-checked and run\n`,
    );
} finally {
  project.remove();
}
