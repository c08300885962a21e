// `npm run package`: everything that production needs, in `release/svc-VERSION.tar.zst`.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureModels, pnpm, root, run, SetupError, script, setup } from './lib/setup.mjs';
import { sizeOf } from './package/npm-packages.mjs';

const MAX_BYTES = 250e6;

/** Sorted names, one time and owner: the same files are the same bytes. */
function pack(folder, file, seconds) {
  const tools = ['tar', 'zstd'].filter((tool) => spawnSync(tool, ['--version']).status !== 0);
  if (tools.length > 0) throw new SetupError(`install ${tools.join(' and ')} to pack a release`);
  const normal = ['--sort=name', `--mtime=@${seconds}`, '--owner=0', '--group=0', '--numeric-owner'];
  const format = ['--format=ustar', '--mode=u+rwX,go+rX,go-w', '--use-compress-program=zstd -12 -T0'];
  run('tar', [...normal, ...format, '-cf', file, '-C', dirname(folder), basename(folder)]);
}

script(async () => {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: join(root, 'release') },
      folder: { type: 'boolean', default: false },
      try: { type: 'boolean', default: false },
      arch: { type: 'string', default: process.arch },
    },
  });
  if (process.platform !== 'linux') throw new SetupError('a release can only be packed on Linux');
  if (!['x64', 'arm64'].includes(values.arch)) throw new SetupError('--arch is x64 or arm64');
  const isForeign = values.arch !== process.arch;
  if (isForeign && values.try) throw new SetupError('only a release for this machine can be tried here');
  setup();
  if (!(await ensureModels())) {
    process.exitCode = 3;
    const last = 'packed without all recommended models (see above): exit code 3, unless SVC_MODELS=built-in\n';
    process.once('exit', () => process.stderr.write(last));
  }
  // The kiosk's page contains them.
  setup(['build', '--filter=@svc/dashboard', '--filter=@svc/kiosk', '--filter=@svc/manual', '--filter=@svc/widget']);
  // What it imports is installed now.
  const { layOut, origin, version } = await import('./package/lay-out.mjs');
  const name = `svc-${version}`;
  const out = resolve(values.out);
  const folder = join(out, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const packages = await layOut(folder, values.arch);
  const { files, bytes } = sizeOf(folder);
  process.stdout.write(`${folder}: ${files} files, ${(bytes / 1e6).toFixed(1)} MB, ${packages} npm packages\n`);
  if (bytes > MAX_BYTES) throw new SetupError(`a release can have at most ${MAX_BYTES / 1e6} MB`);
  if (values.folder) return;
  const file = join(out, `${name}${isForeign ? `-${values.arch}` : ''}.tar.zst`);
  pack(folder, file, origin().seconds);
  rmSync(folder, { recursive: true });
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
  writeFileSync(`${file}.sha256`, `${sha256}  ${basename(file)}\n`);
  process.stdout.write(`${file}: ${(statSync(file).size / 1e6).toFixed(1)} MB, sha256 ${sha256}\n`);
  if (!values.try) return;
  pnpm(['--filter', '@svc/e2e', 'exec', 'vitest', 'run', 'src/packaged'], { env: { SVC_TEST_RELEASE: file } });
});
