import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const peers = ['@noble/ciphers', '@tensorflow/tfjs-core', '@vladmandic/human', '@vladmandic/face-api'] as const;

/** The version in the manifest above a package's entry; many packages do not export their manifest. */
function versionOf(packageName: string): string {
  for (const folder of require.resolve.paths(packageName) ?? []) {
    try {
      const manifest: { version?: unknown } = JSON.parse(
        readFileSync(join(folder, packageName, 'package.json'), 'utf8'),
      );
      if (typeof manifest.version === 'string') return manifest.version;
    } catch {
      // The next folder up.
    }
  }
  return 'unknown';
}

export interface Machine {
  readonly date: string;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
}

export function describeMachine(): Machine {
  const cores = cpus();
  const gib = Math.round(totalmem() / 2 ** 30);
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${cores[0]?.model.trim() ?? 'unknown processor'}, ${cores.length} cores, ${gib} GiB, ${process.platform} ${process.arch}`,
    versions: {
      node: process.versions.node,
      v8: process.versions.v8,
      ...Object.fromEntries(peers.map((name) => [name, versionOf(name)])),
    },
  };
}

/** Folder of an installed package, for files that it does not export. */
export function packageFolder(packageName: string): string {
  let folder = dirname(require.resolve(packageName));
  while (!folder.endsWith(packageName)) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('the package has no folder of its name');
    folder = parent;
  }
  return folder;
}
