/**
 * `npm run pictures`: makes the manual's pictures, docs/pictures. `--check` makes them elsewhere, and fails for each that
 * shows something else.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';

const root = join(import.meta.dirname, '../../../..');
const committed = join(root, 'docs/pictures');
/** Blurred, in blocks of so many px, another renderer's letters differ by 13 of 255 at most, another letter by 70. */
const [BLUR, BLOCK, MOST_DIFFERENCE, MOST_SHARE] = [2, 4, 24, 0.0001];
const say = (line: string) => process.stdout.write(`${line}\n`);

async function blocksOf(file: string) {
  const all = { animated: true };
  const { width, height } = await sharp(file, all).metadata();
  const blurred = await sharp(file, all).greyscale().blur(BLUR).png().toBuffer();
  const [across, down] = [Math.ceil(width / BLOCK), Math.ceil(height / BLOCK)];
  const small = sharp(blurred).resize(across, down, { fit: 'fill' }).greyscale();
  return { data: await small.raw().toBuffer(), size: `${width} × ${height} px` };
}

/** What differs, in words; empty for pictures that show the same. */
async function differenceOf(before: string, after: string): Promise<string> {
  const [old, made] = await Promise.all([blocksOf(before), blocksOf(after)]);
  if (old.size !== made.size) return `${made.size}, not ${old.size}`;
  const count = made.data.filter((value, i) => Math.abs(value - (old.data[i] ?? 0)) > MOST_DIFFERENCE).length;
  const share = count / made.data.length;
  return share > MOST_SHARE ? `${(100 * share).toFixed(2)} % differ` : '';
}

async function check(folder: string): Promise<void> {
  const both = [await readdir(committed), await readdir(folder)];
  for (const name of new Set(both.flat())) {
    const isInBoth = both.every((names) => names.includes(name));
    const wrong = isInBoth ? await differenceOf(join(committed, name), join(folder, name)) : 'is in one of both only';
    if (wrong !== '') say(`${name}: ${wrong}`);
    if (wrong !== '') process.exitCode = 1;
  }
}

/** What the pictures weigh, and those of the heaviest page: a browser fetches one of four. */
async function weigh(): Promise<void> {
  const bytes = new Map<string, number>();
  for (const name of await readdir(committed)) bytes.set(name, (await stat(join(committed, name))).size);
  const sumOf = (sizes: Iterable<number>) => [...sizes].reduce((sum, size) => sum + size, 0);
  const documents = await readdir(join(root, 'docs'), { recursive: true });
  const pages = documents.filter((name) => name.endsWith('.md'));
  const weights = ['../README.md', ...pages].map((page) => {
    const shown = readFileSync(join(root, 'docs', page), 'utf8').matchAll(/src="\S*?([\w-]+-light-en\.webp)"/g);
    return { page, weight: sumOf([...shown].map(([, name = '']) => bytes.get(name) ?? 0)) };
  });
  const { page, weight } = weights.reduce((a, b) => (b.weight > a.weight ? b : a));
  say(`${bytes.size} pictures of ${sumOf(bytes.values())} bytes, the largest ${Math.max(...bytes.values())}`);
  say(`the heaviest page is ${page}: pictures of ${weight} bytes`);
}

const folder = await mkdtemp(join(tmpdir(), 'svc-pictures-'));
const env = { ...process.env, NODE_OPTIONS: '--conditions=svc-source', SVC_PICTURES: folder };
const { status } = spawnSync('node_modules/.bin/playwright', ['test', '--project=manual'], { stdio: 'inherit', env });
if (status !== 0) process.exitCode = 1;
else if (process.argv.includes('--check')) await check(folder);
else {
  await rm(committed, { recursive: true, force: true });
  await cp(folder, committed, { recursive: true });
  await weigh();
}
await rm(folder, { recursive: true, force: true });
