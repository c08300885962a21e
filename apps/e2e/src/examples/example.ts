import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const at = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const read = async (path: string) => JSON.parse(await readFile(path, 'utf8'));
const sources = `--conditions=svc-source --import=${import.meta.resolve('tsx')}`;

/** Whether npm installs what examples need, with packed packages of ours; else the workspace's are linked. */
export const isInstalled = process.env.SVC_TEST_EXAMPLES === 'installed';

/** Whether a program of Debian's packages is here; says so if it is not. */
export function hasProgram(name: string): boolean {
  const isThere = spawnSync(name, ['--version']).status === 0;
  if (!isThere) process.stdout.write(`skipped: no ${name}\n`);
  return isThere;
}

/** Settings of a service that calls receivers on this machine. */
export const CALLS_THIS_MACHINE = {
  ...{ SVC_JOBS: 'on', SVC_WEBHOOK_HTTP: 'on' },
  ...{ SVC_WEBHOOK_ALLOW: '127.0.0.0/8', SVC_WEBHOOK_PORTS: 'any' },
};

/** Packs a package of ours, and those that it needs. @returns what a package.json says for each */
async function pack(name: string, place: string): Promise<Record<string, string>> {
  const args = ['pack', '--json', '--config.ignore-scripts=true', '--pack-destination', place];
  const cwd = at(name.replace('@svc', 'packages'));
  const { stdout } = await promisify(execFile)(at('.tools/node_modules/.bin/pnpm'), args, { cwd });
  const { dependencies = {} } = await read(join(cwd, 'package.json'));
  const needed = Object.keys(dependencies).filter((each) => each.startsWith('@svc/'));
  const others = await Promise.all(needed.map((each) => pack(each, place)));
  return Object.assign({ [name]: `file:${JSON.parse(stdout).filename}` }, ...others);
}

/** Gives an example, at the versions that it asks for, what the workspace has. */
async function link(name: string, version: string, folder: string): Promise<void> {
  const own = at(name.startsWith('@svc/') ? name.replace('@svc', 'packages') : `apps/api/node_modules/${name}`);
  const { version: found } = await read(join(own, 'package.json'));
  if (found !== version) throw new Error(`${folder} asks for ${name} ${version}, the workspace has ${found}`);
  await mkdir(dirname(join(folder, 'node_modules', name)), { recursive: true });
  await symlink(own, join(folder, 'node_modules', name));
}

const copies: { readonly place: string; readonly stops: (() => void)[] }[] = [];

/** Ends what examples have started, and removes the copies. */
export async function removeExamples(): Promise<void> {
  for (const { place, stops } of copies.splice(0)) {
    for (const stop of stops) stop();
    await rm(place, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A copy of an example, whose README's blocks of commands are typed into a shell. */
export async function copyExample(name: string, settings: Readonly<Record<string, string>> = {}) {
  const place = await mkdtemp(join(tmpdir(), 'svc-example-'));
  const stops: (() => void)[] = [];
  copies.push({ place, stops });
  const [folder, bin] = [join(place, name), join(place, 'bin')];
  await cp(at(`examples/${name}`), folder, { recursive: true });
  const manifest = await read(join(folder, 'package.json')).catch(() => ({}));
  for (const [dependency, version] of Object.entries<string>(manifest.dependencies ?? {})) {
    if (!isInstalled) await link(dependency, version, folder);
    else if (dependency.startsWith('@svc/')) Object.assign(manifest.dependencies, await pack(dependency, place));
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  // `svc` is the workspace's; npm has nothing to install where there are links.
  const svc = `NODE_OPTIONS='${sources}' exec node '${at('apps/cli/src/main.ts')}' "$@"`;
  const npm = `${isInstalled ? '' : '[ "$1" = install ] && exit; '}PATH="\${PATH#*:}"; exec npm "$@"`;
  await mkdir(bin);
  for (const [program, line] of Object.entries({ svc, npm }))
    await writeFile(join(bin, program), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  const NODE_OPTIONS = isInstalled ? '' : sources;
  const env = { ...process.env, NODE_OPTIONS, ...settings, PATH: `${bin}:${process.env.PATH}` };
  const readme = await readFile(join(folder, 'README.md'), 'utf8');
  return {
    folder,
    blocks: [...readme.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, block = '']) => block),
    /**
     * Types a block: to its end, or until its last command answers at an address.
     * @returns what is printed, also later @throws Error when it went wrong
     */
    async type(block = '', url?: string) {
      const child = spawn('bash', ['-euo', 'pipefail', '-c', block], { cwd: folder, env, detached: true });
      // With what it has started.
      stops.push(() => child.exitCode === null && process.kill(-(child.pid ?? Number.NaN)));
      const shell = { printed: '' };
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          shell.printed += text;
        });
      const ended = once(child, 'close').then(([code]) => code === 0);
      const isUp = () => fetch(url ?? '').then(Boolean, () => false);
      const polled = async () => {
        while (child.exitCode === null && !(await isUp())) await setTimeout(200);
        return child.exitCode === null;
      };
      if (!(await (url === undefined ? ended : polled()))) throw new Error(`${name}: ${shell.printed}`);
      return shell;
    },
  };
}
