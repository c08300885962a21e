// Compiles assembly/ to dist/core-simd.wasm and, for engines without WebAssembly SIMD, to dist/core-scalar.wasm; inlines
// the bytes of each into a module of its name; compiles controls/ to dist/controls.wasm for the constant-time check. Does
// nothing when dist/ is up to date.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generated } from './generate.mjs';
import { lowerVectors } from './lower.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const require = createRequire(import.meta.url);

const binaries = {
  'core-simd.wasm': { entry: 'assembly/index.ts', scalar: false },
  'core-scalar.wasm': { entry: 'assembly/index.ts', scalar: true },
  'controls.wasm': { entry: 'controls/leaky.ts', scalar: false },
};
/** Binaries that are modules too. */
const inlined = ['core-simd', 'core-scalar'];
const outputs = [...Object.keys(binaries), ...inlined.flatMap((name) => [`${name}.js`, `${name}.d.ts`])];
const flags = [
  '--runtime',
  'stub',
  '--enable',
  'simd',
  '--optimizeLevel',
  '3',
  '--shrinkLevel',
  '0',
  '--noAssert',
  '--use',
  'abort=',
  // Vectors pass between functions of the core, never to JavaScript.
  '--disableWarning',
  '112',
];

function sha256(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

function sourceHash() {
  const compiler = require('assemblyscript/package.json');
  const parts = [JSON.stringify([compiler.version, compiler.dependencies.binaryen])];
  const files = ['assembly', 'controls'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => !(name in generated))
      .sort()
      .map((name) => `${folder}/${name}`),
  );
  for (const file of [
    ...files,
    ...['build', 'generate', 'lower', 'lower-instructions'].map((name) => `scripts/${name}.mjs`),
  ])
    parts.push(`\0${file}\0`, readFileSync(join(root, file)));
  return sha256(...parts);
}

function isUpToDate(sources) {
  try {
    const stamp = JSON.parse(readFileSync(join(dist, 'stamp.json'), 'utf8'));
    const areGenerated = Object.entries(generated).every(
      ([name, source]) => readFileSync(join(root, 'assembly', name), 'utf8') === source,
    );
    const areBuilt = outputs.every((name) => stamp[name] === sha256(readFileSync(join(dist, name))));
    return stamp.sources === sources && areGenerated && areBuilt;
  } catch {
    return false;
  }
}

function writeGenerated() {
  for (const [name, source] of Object.entries(generated)) writeAtomically(join(root, 'assembly', name), source);
}

async function compile(asc, { entry, scalar }) {
  let wasm;
  const variant = ['--use', `SCALAR=${scalar ? 1 : 0}`];
  const { error, stderr } = await asc([entry, ...flags, ...variant, '--baseDir', root, '--outFile', 'out.wasm'], {
    writeFile(_name, content) {
      wasm = content;
    },
  });
  const messages = stderr.toString();
  if (error || wasm === undefined || messages !== '') throw new Error(`asc: ${error?.message ?? ''}\n${messages}`);
  return scalar ? lowerVectors(wasm) : wasm;
}

/** Writes by rename, so that a concurrent reader sees the old file or the new one. */
function writeAtomically(path, content) {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, content);
  renameSync(temporary, path);
}

async function main() {
  const sources = sourceHash();
  if (isUpToDate(sources)) return;
  writeGenerated();
  mkdirSync(dist, { recursive: true });
  const { main: asc } = await import('assemblyscript/asc');
  const stamp = { sources };
  const write = (name, content) => {
    writeAtomically(join(dist, name), content);
    stamp[name] = sha256(content);
  };
  for (const [name, binary] of Object.entries(binaries)) write(name, await compile(asc, binary));
  for (const name of inlined) {
    const base64 = readFileSync(join(dist, `${name}.wasm`)).toString('base64');
    const comment = '/** The compiled core, base64. */';
    write(`${name}.js`, `${comment}\nexport const coreWasmBase64 =\n  '${base64}';\n`);
    write(`${name}.d.ts`, `${comment}\nexport declare const coreWasmBase64: string;\n`);
  }
  writeAtomically(join(dist, 'stamp.json'), `${JSON.stringify(stamp)}\n`);
}

await main();
