// Checks every publishable package as its consumer sees it: publint on the packed files; one version in every place.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { root } from './lib/setup.mjs';
import { otherVersions } from './lib/versions.mjs';

for (const other of otherVersions()) {
  process.stdout.write(`${other}\n`);
  process.exitCode = 1;
}

for (const name of readdirSync(join(root, 'packages'))) {
  const folder = join(root, 'packages', name);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (manifest.private === true) continue;
  const { messages } = await publint({ pkgDir: folder, strict: true, pack: false });
  for (const message of messages) {
    process.stdout.write(`${manifest.name}: ${formatMessage(message, manifest)}\n`);
    process.exitCode = 1;
  }
}
