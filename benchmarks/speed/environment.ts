import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const peers = ['@tensorflow/tfjs-core', '@vladmandic/human'] as const;

/** Folder of an installed package, for files that it does not export; many do not even export their manifest. */
export function packageFolder(packageName: string): string {
  const places = require.resolve.paths(packageName) ?? [];
  const found = places
    .map((place) => join(place, packageName))
    .find((folder) => existsSync(join(folder, 'package.json')));
  if (found === undefined) throw new Error(`${packageName} is not installed`);
  return found;
}

const versionOf = (packageName: string): string =>
  JSON.parse(readFileSync(join(packageFolder(packageName), 'package.json'), 'utf8')).version;

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
