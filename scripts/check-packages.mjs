// Checks every publishable package as its consumer sees it: publint on the packed files, and that what they import is a
// dependency; one version in every place.
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { complain, root } from './lib/setup.mjs';
import { otherVersions } from './lib/versions.mjs';

/** Built modules among a manifest's exports. */
const modulesIn = (exports) =>
  typeof exports === 'string'
    ? [exports].filter((path) => /\.[cm]?js$/.test(path))
    : Object.values(exports).flatMap(modulesIn);

/** Names of the packages that the modules of a package import. */
async function importedBy(folder, { exports }) {
  const { metafile } = await build({
    entryPoints: modulesIn(exports).map((path) => join(folder, path)),
    ...{ bundle: true, packages: 'external', platform: 'node', format: 'esm', logLevel: 'error' },
    ...{ write: false, metafile: true, outdir: 'out', entryNames: '[dir]/[name]-[hash]' },
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  const names = imports.flatMap(({ path, external }) => (external ? [path.match(/^(@[^/]+\/)?[^/]+/)[0]] : []));
  return new Set(names.filter((name) => !isBuiltin(name)));
}

for (const other of otherVersions()) complain(other);

for (const name of readdirSync(join(root, 'packages'))) {
  const folder = join(root, 'packages', name);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (manifest.private === true) continue;
  const { messages } = await publint({ pkgDir: folder, strict: true, pack: false });
  for (const message of messages) complain(`${manifest.name}: ${formatMessage(message, manifest)}`);
  const { dependencies, peerDependencies, optionalDependencies } = manifest;
  const declared = { ...dependencies, ...peerDependencies, ...optionalDependencies };
  for (const imported of await importedBy(folder, manifest))
    if (!(imported in declared)) complain(`${manifest.name} imports ${imported}, which is no dependency of it`);
}
