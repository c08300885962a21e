// `npm start`: from a fresh clone to a running service.
import { join } from 'node:path';
import { become, root, script, setupServing } from './lib/setup.mjs';

script(async () => {
  await setupServing();
  // glibc overwrites freed memory, in which the image library leaves parts of pictures. Read at program start, by glibc
  // only.
  process.env.MALLOC_PERTURB_ ??= '165';
  become(process.execPath, [
    '--enable-source-maps',
    join(root, 'apps', 'api', 'dist', 'main.js'),
    ...process.argv.slice(2),
  ]);
});
