/** Builds the page into `dist/`. */
import { join } from 'node:path';
import { buildDashboard, root } from './build-dashboard.ts';

await buildDashboard({ outDir: join(root, 'dist') });
