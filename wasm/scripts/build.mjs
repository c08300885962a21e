// Compiles assembly/ to dist/core.wasm and inlines the bytes into dist/index.js. Does nothing when dist/ is up to date.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const require = createRequire(import.meta.url);

const flags = [
  'assembly/index.ts',
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

function sourceHash() {
  const hash = createHash('sha256');
  const compiler = require('assemblyscript/package.json');
  hash.update(JSON.stringify([compiler.version, compiler.dependencies.binaryen, flags]));
  for (const folder of ['assembly', 'scripts']) {
    for (const name of readdirSync(join(root, folder)).sort()) {
      hash.update(`\0${folder}/${name}\0`).update(readFileSync(join(root, folder, name)));
    }
  }
  return hash.digest('hex');
}

function isUpToDate(sources) {
  try {
    const stamp = JSON.parse(readFileSync(join(dist, 'stamp.json'), 'utf8'));
    const wasm = readFileSync(join(dist, 'core.wasm'));
    readFileSync(join(dist, 'index.js'));
    readFileSync(join(dist, 'index.d.ts'));
    return stamp.sources === sources && stamp.wasm === createHash('sha256').update(wasm).digest('hex');
  } catch {
    return false;
  }
}

/** Writes by rename, so that a process that reads at the same time sees the old file or the new one. */
function writeAtomically(name, content) {
  const temporary = join(dist, `.${name}.${process.pid}`);
  writeFileSync(temporary, content);
  renameSync(temporary, join(dist, name));
}

async function main() {
  const sources = sourceHash();
  if (isUpToDate(sources)) return;
  mkdirSync(dist, { recursive: true });
  const { main: asc } = await import('assemblyscript/asc');
  const outputs = new Map();
  const { error, stderr } = await asc([...flags, '--baseDir', root, '--outFile', 'core.wasm'], {
    writeFile(name, content) {
      outputs.set(name, content);
    },
  });
  const wasm = outputs.get('core.wasm');
  const messages = stderr.toString();
  if (error || wasm === undefined || messages !== '') throw new Error(`asc: ${error?.message ?? ''}\n${messages}`);
  writeAtomically('core.wasm', wasm);
  writeAtomically(
    'index.js',
    `/** The compiled core, base64. */\nexport const coreWasmBase64 =\n  '${Buffer.from(wasm).toString('base64')}';\n`,
  );
  writeAtomically('index.d.ts', '/** The compiled core, base64. */\nexport declare const coreWasmBase64: string;\n');
  writeAtomically(
    'stamp.json',
    `${JSON.stringify({ sources, wasm: createHash('sha256').update(wasm).digest('hex') })}\n`,
  );
}

await main();
