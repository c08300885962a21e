// Compiles assembly/ to dist/core-simd.wasm and, for engines without WebAssembly SIMD, to dist/core-scalar.wasm; inlines
// the bytes of each into a module of its name, and instruments each for the constant-time check. Does nothing when dist/
// is up to date.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generated } from './generate.mjs';
import { lowerVectors } from './lower.mjs';
import { traced } from './trace.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const require = createRequire(import.meta.url);

const names = ['core-simd', 'core-scalar'];
const outputs = names.flatMap((name) => ['.wasm', '.traced.wasm', '.js', '.d.ts'].map((end) => `${name}${end}`));
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
  for (const folder of ['assembly', 'scripts']) {
    const files = readdirSync(join(root, folder)).filter((name) => !(name in generated));
    for (const file of files.sort()) parts.push(`\0${folder}/${file}\0`, readFileSync(join(root, folder, file)));
  }
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

async function compile(asc, scalar) {
  let wasm;
  const variant = ['--use', `SCALAR=${scalar ? 1 : 0}`];
  const { error, stderr } = await asc(
    ['assembly/index.ts', ...flags, ...variant, '--baseDir', root, '--outFile', 'out.wasm'],
    {
      writeFile(_name, content) {
        wasm = content;
      },
    },
  );
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
  for (const name of names) {
    const binary = await compile(asc, name === 'core-scalar');
    write(`${name}.wasm`, binary);
    write(`${name}.traced.wasm`, traced(binary));
    const base64 = Buffer.from(binary).toString('base64');
    const comment = '/** The compiled core, base64. */';
    write(`${name}.js`, `${comment}\nexport const coreWasmBase64 =\n  '${base64}';\n`);
    write(`${name}.d.ts`, `${comment}\nexport declare const coreWasmBase64: string;\n`);
  }
  writeAtomically(join(dist, 'stamp.json'), `${JSON.stringify(stamp)}\n`);
}

await main();
