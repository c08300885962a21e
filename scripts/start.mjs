// `npm start`: from a fresh clone to a running service.
import { join } from 'node:path';
import { become, root, script, setup } from './lib/setup.mjs';

script(() => {
  setup(['build', '--filter=@svc/api', '--filter=@svc/kiosk', '--filter=@svc/widget']);
  become(process.execPath, [
    '--enable-source-maps',
    join(root, 'apps', 'api', 'dist', 'main.js'),
    ...process.argv.slice(2),
  ]);
});
