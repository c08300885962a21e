// `npm run demo | demo:dashboard | svc | bench | load`: sets up what is missing, then runs the command.
import { join } from 'node:path';
import { become, root, script, setup } from './lib/setup.mjs';

const fromSource = ['--conditions=svc-source', '--import', 'tsx'];
/** Each command: the folder whose dependencies it needs, its arguments for Node, and the tasks that build its pages. */
const commands = {
  demo: { folder: 'apps/e2e', node: [...fromSource, 'src/demo/main.ts'] },
  'demo:dashboard': {
    folder: 'apps/e2e',
    node: [...fromSource, 'src/dashboard/demo.ts'],
    build: ['build', '--filter=@svc/dashboard', '--filter=@svc/kiosk', '--filter=@svc/widget'],
  },
  svc: { folder: 'apps/cli', node: [...fromSource, join(root, 'apps/cli/src/main.ts')] },
  bench: { folder: 'benchmarks', node: [...fromSource, 'speed/main.ts'] },
  load: { folder: 'benchmarks', node: [...fromSource, 'load/main.ts'] },
};

script(() => {
  const [name, ...args] = process.argv.slice(2);
  const command = commands[name];
  if (!command) throw new Error(`unknown command; known: ${Object.keys(commands).join(', ')}`);
  setup(command.build);
  become(process.execPath, [...command.node, ...args], {
    cwd: join(root, command.folder),
    env: { SVC_INVOKED_FROM: process.env.INIT_CWD ?? process.cwd() },
  });
});
