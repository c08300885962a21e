/** Every place that names the version of the product, which is one for all packages and the deployment. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

const native = 'packages/device-sdk-native';
/** Files that are no package.json, and what stands before the version in each. */
const PLACES = [
  ['packages/protocol/src/openapi/document.ts', "PRODUCT_VERSION = '"],
  ['packages/device-sdk/src/sync/fetch-answer.ts', "SDK_VERSION = '"],
  ['packages/server-sdk/src/http.ts', "const version = '"],
  [`${native}/android/device/build.gradle.kts`, '\nversion = "'],
  [`${native}/android/device/src/main/kotlin/org/svc/device/SvcDevice.kt`, 'SHELL_VERSION = "'],
  [`${native}/flutter/android/build.gradle.kts`, '\nversion = "'],
  [`${native}/flutter/android/build.gradle.kts`, 'implementation("org.svc:device:'],
  [`${native}/flutter/pubspec.yaml`, '\nversion: '],
  [`${native}/ios/Sources/SvcDevice/SvcConfiguration.swift`, 'static let shell = "'],
  [`${native}/maui/Svc.Device.Maui/Svc.Device.Maui.csproj`, '<Version>'],
  ['deploy/helm/svc/Chart.yaml', '\nversion: '],
  ['examples/backend-tests/package.json', '"@svc/device-sdk-node": "'],
  ['examples/backend-tests/package.json', '"@svc/server-sdk": "'],
  ['examples/door-node/package.json', '"@svc/device-sdk-node": "'],
  ['examples/ticket-shop-express/package.json', '"@svc/server-sdk": "'],
  ['examples/ticket-shop-next/package.json', '"@svc/server-sdk": "'],
  ['docs/build/platforms/android.md', 'implementation("org.svc:device:'],
];

const escaped = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
const placed = (before) => new RegExp(`(${escaped(before)})(\\d+\\.\\d+\\.\\d+(?:-[\\w.]+)?)`);

/** Folders of all packages, the root's first. */
export function workspaces() {
  const inside = ['packages', 'apps'].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
  );
  return ['.', 'wasm', 'benchmarks', ...inside].filter((folder) => existsSync(join(root, folder, 'package.json')));
}

export const manifestOf = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));

/** The version of the product: that of the package of the protocol, which changesets writes. */
export const productVersion = () => manifestOf('packages/protocol').version;

/** @returns the places that name another version, as sentences */
export function otherVersions() {
  const version = productVersion();
  const manifests = workspaces().map((folder) => [`${folder}/package.json`, manifestOf(folder).version]);
  const files = PLACES.map(([file, before]) => [
    file,
    placed(before).exec(readFileSync(join(root, file), 'utf8'))?.[2],
  ]);
  return [...manifests, ...files]
    .filter(([, found]) => found !== version)
    .map(([file, found]) => `${file}: has version ${found ?? 'none'}, the packages have ${version}`);
}

/** Writes the version of the packages to every other place. */
export function writeVersions() {
  const version = productVersion();
  const replace = (file, pattern) => {
    const path = join(root, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(pattern, `$1${version}`));
  };
  for (const folder of workspaces()) replace(`${folder}/package.json`, /(^ {2}"version": ")[^"]+/m);
  for (const [file, before] of PLACES) replace(file, placed(before));
}
