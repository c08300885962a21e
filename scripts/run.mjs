// `npm run demo | demo:dashboard | svc | bench | load`: sets up what is missing, then runs the command.
import { join } from 'node:path';
import { become, root, script, setup, setupCommandLine } from './lib/setup.mjs';

const fromSource = ['--conditions=svc-source', '--import', 'tsx'];
/** Each command: its folder, its arguments for Node, and how what it needs is set up where that is not everything. */
const commands = {
  demo: { folder: 'apps/e2e', node: [...fromSource, 'src/demo/main.ts'] },
  'demo:dashboard': {
    folder: 'apps/e2e',
    node: [...fromSource, 'src/dashboard/demo.ts'],
    setup: () => setup(['build', '--filter=@svc/dashboard', '--filter=@svc/kiosk', '--filter=@svc/widget']),
  },
  svc: { folder: 'apps/cli', node: [...fromSource, join(root, 'apps/cli/src/main.ts')], setup: setupCommandLine },
  bench: { folder: 'benchmarks', node: [...fromSource, 'speed/main.ts'] },
  load: { folder: 'benchmarks', node: [...fromSource, 'load/main.ts'] },
};

script(async () => {
  const [name, ...args] = process.argv.slice(2);
  const command = commands[name];
  if (!command) throw new Error(`unknown command; known: ${Object.keys(commands).join(', ')}`);
  await (command.setup ?? setup)();
  become(process.execPath, [...command.node, ...args], {
    cwd: join(root, command.folder),
    env: { SVC_INVOKED_FROM: process.env.INIT_CWD ?? process.cwd() },
  });
});
