import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath, URL } from 'node:url';
import { defineConfig, type Options } from 'tsup';

const packages = fileURLToPath(new URL('../packages/', import.meta.url));

/** The packages that are not published, with the declarations of their entry points: every package carries what it uses. */
function inside(): { names: string[]; paths: Record<string, string[]> } {
  const names: string[] = [];
  const paths: Record<string, string[]> = {};
  for (const folder of readdirSync(packages)) {
    const file = `${packages}${folder}/package.json`;
    if (!existsSync(file)) continue;
    const { name, private: isPrivate, exports } = JSON.parse(readFileSync(file, 'utf8'));
    if (isPrivate !== true) continue;
    names.push(name);
    for (const [entry, { types }] of Object.entries<{ types?: string }>(exports))
      if (types !== undefined) paths[name + entry.slice(1)] = [`../${folder}/${types.slice(2)}`];
  }
  return { names, paths };
}

const { names, paths } = inside();

// A release names a JSON file of base URLs and signing keys: { "EU": { "baseUrl": …, "signingKeys": […] }, "US": … }.
const { SVC_PINNED_REGIONS: pinned } = process.env;

/**
 * One configuration for every published package: ESM and CommonJS, and declarations rolled up out of what
 * `scripts/emit-declarations.mjs` has emitted before.
 *
 * @param entry sources under `src/`, which keep their names in `dist/`
 * @param untyped those of them that nobody imports
 * @param models whether the package opens the model bundle, which it then carries
 */
export function svcPackage({
  entry,
  untyped = [],
  models = false,
  ...options
}: Options & { entry: string[]; untyped?: string[]; models?: boolean }) {
  const declared = entry.filter((file) => !untyped.includes(file)).map((file) => file.replace(/^src\/|\.ts$/g, ''));
  return defineConfig({
    entry,
    format: ['esm', 'cjs'],
    dts: {
      entry: Object.fromEntries(declared.map((name) => [name, `.types/${name}.d.ts`])),
      compilerOptions: { paths },
    },
    noExternal: names.map((name) => new RegExp(`^${name}(/|$)`)),
    clean: true,
    sourcemap: false,
    target: 'es2022',
    define:
      pinned === undefined ? {} : { __SVC_PINNED_REGIONS__: JSON.stringify(JSON.parse(readFileSync(pinned, 'utf8'))) },
    esbuildOptions(build) {
      build.conditions = ['svc-source'];
    },
    ...(models && {
      onSuccess: async () => {
        cpSync(`${packages}face-models/dist/models`, 'dist/base-models', { recursive: true });
        // Google’s packages carry no text of theirs. Named so, as beside a LICENSE pnpm packs none of the repository.
        cpSync(`${packages}../LICENSE`, 'dist/base-models/Apache-2.0.txt');
        cpSync(`${packages}face-models/NOTICE`, 'dist/base-models/NOTICE');
        const faceApi = `${packages}face-models/node_modules/@vladmandic/face-api/LICENSE`;
        cpSync(faceApi, 'dist/base-models/MIT-face-api.txt');
      },
    }),
    ...options,
  });
}
