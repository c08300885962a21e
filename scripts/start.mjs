// `npm start`: from a fresh clone to a running service.
import { join } from 'node:path';
import { missingAddOns, offerAddOns } from './lib/offer-add-ons.mjs';
import { addOnFolder, become, root, run, script, setupCommandLine, setupServing } from './lib/setup.mjs';

async function addRecommended() {
  await setupCommandLine();
  const svc = ['--conditions=svc-source', '--import', 'tsx', join(root, 'apps', 'cli', 'src', 'main.ts')];
  run(process.execPath, [...svc, 'models', 'add', 'recommended'], { cwd: join(root, 'apps', 'cli') });
}

script(async () => {
  await setupServing();
  const missing = missingAddOns(addOnFolder());
  const added = await offerAddOns({ missing, input: process.stdin, output: process.stdout, add: addRecommended });
  // The kiosk's page contains the installed networks.
  if (added) await setupServing();
  // glibc overwrites freed memory, in which the image library leaves parts of pictures. Read at program start, by glibc
  // only.
  process.env.MALLOC_PERTURB_ ??= '165';
  become(process.execPath, [
    '--enable-source-maps',
    join(root, 'apps', 'api', 'dist', 'main.js'),
    ...process.argv.slice(2),
  ]);
});
