// Every script of package.json: `--help` and unknown options are answered here; then what is missing is set up and the
// program runs.
import { join } from 'node:path';
import { commands, refusalOf } from './lib/command-line.mjs';
import { become, root, SetupError, script, setup, setupCommandLine } from './lib/setup.mjs';

const fromSource = ['--conditions=svc-source', '--import', 'tsx'];
const setupPages = () => setup(['build', ...['dashboard', 'kiosk', 'widget'].map((page) => `--filter=@svc/${page}`)]);
/** Programs of packages: the folder, the arguments, and how what it needs is set up where that is not everything. */
const programs = {
  demo: { folder: 'apps/e2e', node: [...fromSource, 'src/demo/main.ts'] },
  'demo:dashboard': { folder: 'apps/e2e', node: [...fromSource, 'src/dashboard/demo.ts'], setup: setupPages },
  pictures: { folder: 'apps/e2e', node: [...fromSource, 'src/pages/take-pictures.ts'], setup: setupPages },
  svc: { folder: 'apps/cli', node: [...fromSource, join(root, 'apps/cli/src/main.ts')], setup: setupCommandLine },
  bench: { folder: 'benchmarks', node: [...fromSource, 'speed/main.ts'] },
  load: { folder: 'benchmarks', node: [...fromSource, 'load/main.ts'] },
  changeset: { node: [join(root, 'scripts/tool.mjs'), 'changeset'] },
  format: { bin: 'biome', args: ['check', '--write', '.'] },
};
/** The others are modules here. */
const modules = { 'test:long': 'test-long', 'test:mutants': 'test-mutants', 'measure:start': 'first-minutes' };

script(async () => {
  const [name, ...args] = process.argv.splice(2);
  if (!Object.hasOwn(commands, name))
    throw new SetupError(`unknown command; known: ${Object.keys(commands).join(', ')}`);
  const refusal = refusalOf(name, args);
  if (refusal !== null) {
    process[refusal.exitCode === 0 ? 'stdout' : 'stderr'].write(refusal.text);
    process.exitCode = refusal.exitCode;
    return;
  }
  const program = programs[name];
  if (program === undefined) {
    process.argv.push(...args);
    await import(`./${modules[name] ?? name.replace(':', '-')}.mjs`);
    return;
  }
  await (program.setup ?? setup)();
  const [command, first] = program.bin
    ? [join(root, 'node_modules', '.bin', program.bin), program.args ?? []]
    : [process.execPath, program.node];
  become(command, [...first, ...args], {
    cwd: join(root, program.folder ?? '.'),
    env: { SVC_INVOKED_FROM: process.env.INIT_CWD ?? process.cwd() },
  });
});
