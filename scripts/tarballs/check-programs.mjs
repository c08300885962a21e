// A strict TypeScript project as a user of a package has it: the programs in `consumer/` are type-checked against the
// installed packages, the libraries' own declarations too, and run, as a module and as CommonJS.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../lib/setup.mjs';

const consumer = join(root, 'scripts', 'tarballs', 'consumer');
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

/** The programs of a world, by their names. */
const programsOf = ({ folder }) => readdirSync(folder).filter((file) => /\.tsx?$/.test(file) && file !== 'index.tsx');

function ran(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 26 });
  return { ok: status === 0, output: `${stdout}${stderr}` };
}

function checkProgram(directory, program) {
  const state = mkdtempSync(join(tmpdir(), 'svc-tarballs-'));
  try {
    const path = `./out/${program.replace(/\.tsx?$/, '.js')}`;
    return ran(process.execPath, ['-e', `import('${path}').then(({ use }) => use(process.argv[1]))`, state], directory);
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}

/** A program may get a package as a module here and as CommonJS there: the types of either fit the other's. */
function checkFormats(directory, compiler, tarballs) {
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
  return ran(process.execPath, [compiler, '-p', 'tsconfig.json'], project);
}

/**
 * @param directory a project with the packages in its `node_modules`
 * @param compiler the script of `tsc`
 * @param tarballs the packages, as `createThrowawayProject` tells them
 * @returns the number of programs that were checked; what fails is printed and sets the exit code
 */
export function checkPrograms(directory, compiler, tarballs) {
  let checked = 0;
  const formats = checkFormats(directory, compiler, tarballs);
  if (!formats.ok) {
    process.stdout.write(`types of modules and of CommonJS:\n${formats.output}\n`);
    process.exitCode = 1;
  }
  for (const [world, one] of Object.entries(worlds)) {
    const programs = programsOf(one);
    for (const kind of one.kinds) {
      const project = join(directory, `${world}-${kind}`);
      mkdirSync(project, { recursive: true });
      writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: kind }));
      const compilerOptions = { ...STRICT, ...one.options, outDir: 'out', rootDir: '.' };
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: programs }));
      for (const program of programs) cpSync(join(one.folder, program), join(project, program));
      const fail = (what, { output }) => {
        process.stdout.write(`${what} (${world}, ${kind}):\n${output}\n`);
        process.exitCode = 1;
      };
      const compiled = ran(process.execPath, [compiler, '-p', 'tsconfig.json'], project);
      if (!compiled.ok) fail(programs.join(', '), compiled);
      for (const program of one.runs ? programs : []) {
        const result = checkProgram(project, program);
        if (!result.ok) fail(program, result);
      }
      checked += programs.length;
    }
  }
  return checked;
}
