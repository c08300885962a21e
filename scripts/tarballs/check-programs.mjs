// A strict TypeScript project as a user of a package has it: the programs in `consumer/` are type-checked against the
// installed packages, the libraries' own declarations too, and run, as a module and as CommonJS.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../lib/setup.mjs';
import { WORKSPACE_SCOPE } from '../release/config.mjs';

export const consumer = join(root, 'scripts', 'tarballs', 'consumer');
const STRICT = {
  target: 'ES2022',
  module: 'NodeNext',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noImplicitOverride: true,
  noPropertyAccessFromIndexSignature: true,
  skipLibCheck: false,
};

/** Who has which globals. */
const worlds = {
  node: { folder: consumer, kinds: ['module', 'commonjs'], options: { lib: ['ES2023'], types: ['node'] }, runs: true },
  web: {
    folder: join(consumer, 'web'),
    kinds: ['module', 'commonjs'],
    options: { lib: ['ES2023', 'DOM'], types: [] },
    runs: true,
  },
  'react-native': {
    // The example's door: its main entry point needs React Native, which Metro and jest alone load.
    folder: join(root, 'packages', 'device-sdk-react-native', 'example'),
    kinds: ['commonjs'],
    // As React Native's own configuration: Metro resolves like a bundler, with the condition `react-native`.
    options: {
      ...{ lib: ['ES2023'], types: ['react-native'], jsx: 'react-jsx' },
      ...{ module: 'ESNext', moduleResolution: 'Bundler', customConditions: ['react-native'] },
      // React Native's declarations contradict each other under `exactOptionalPropertyTypes`.
      skipLibCheck: true,
    },
    runs: false,
  },
};

/** A program with the scope that the packages were published with. */
export const programText = (path, scope) => readFileSync(path, 'utf8').replaceAll(`${WORKSPACE_SCOPE}/`, `${scope}/`);

/** The programs of a world, by their names. */
const programsOf = ({ folder }) => readdirSync(folder).filter((file) => /\.tsx?$/.test(file) && file !== 'index.tsx');

function ran(command, args, cwd) {
  const options = { cwd, encoding: 'utf8', maxBuffer: 1 << 26, timeout: 300_000 };
  const { status, stdout, stderr } = spawnSync(command, args, options);
  return { ok: status === 0, output: `${stdout}${stderr}` };
}

function checkProgram(directory, program, node) {
  const state = mkdtempSync(join(tmpdir(), 'svc-tarballs-'));
  try {
    const path = `./out/${program.replace(/\.tsx?$/, '.js')}`;
    return ran(node, ['-e', `import('${path}').then(({ use }) => use(process.argv[1]))`, state], directory);
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}

/** A program may get a package as a module here and as CommonJS there: the types of either fit the other's. */
function checkFormats(directory, compiler, tarballs, node) {
  const isBoth = (conditions) => 'import' in Object(conditions) && 'require' in Object(conditions);
  const entries = tarballs.flatMap(({ name, manifest: { exports } }) =>
    Object.keys(exports).flatMap((entry) => (isBoth(exports[entry]) ? [name + entry.slice(1)] : [])),
  );
  const program = entries.map(
    (entry, i) => `import * as module${i} from '${entry}';
import type * as commonjs${i} from '${entry}' with { 'resolution-mode': 'require' };
export const given${i}: Omit<typeof commonjs${i}, 'default'> = module${i};
export const taken${i} = (required: typeof commonjs${i}): typeof module${i} => required;`,
  );
  const project = join(directory, 'formats');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  writeFileSync(join(project, 'formats.ts'), program.join('\n'));
  const compilerOptions = { ...STRICT, lib: ['ES2023', 'DOM'], types: ['node'], skipLibCheck: true, noEmit: true };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['formats.ts'] }));
  return ran(node, [compiler, '-p', 'tsconfig.json'], project);
}

/**
 * @param directory a project with the packages in its `node_modules`
 * @param compiler the script of `tsc`
 * @param tarballs the packages' names and manifests
 * @param options the packages' scope, the Node that runs the programs, and the worlds to check
 * @returns the number of programs that were checked, and what failed
 */
export function checkPrograms(directory, compiler, tarballs, options) {
  const { scope, node = process.execPath, only = Object.keys(worlds) } = options;
  let checked = 0;
  const failures = [];
  const note = (what, { ok, output }) => (ok ? undefined : failures.push(`${what}:\n${output}`));
  note('types of modules and of CommonJS', checkFormats(directory, compiler, tarballs, node));
  for (const world of only) {
    const one = worlds[world];
    const programs = programsOf(one);
    for (const kind of one.kinds) {
      const project = join(directory, `${world}-${kind}`);
      mkdirSync(project, { recursive: true });
      writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: kind }));
      const compilerOptions = { ...STRICT, ...one.options, outDir: 'out', rootDir: '.' };
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: programs }));
      for (const program of programs)
        writeFileSync(join(project, program), programText(join(one.folder, program), scope));
      note(`${programs.join(', ')} (${world}, ${kind})`, ran(node, [compiler, '-p', 'tsconfig.json'], project));
      for (const program of one.runs ? programs : [])
        note(`${program} (${world}, ${kind})`, checkProgram(project, program, node));
      checked += programs.length;
    }
  }
  return { checked, failures };
}
