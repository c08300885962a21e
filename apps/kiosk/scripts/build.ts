/** Builds the page into `dist/`, for the engine that the service of the same settings enrols with (`SVC_ENGINE`). */
import { join } from 'node:path';
import { buildKiosk } from './build-kiosk.ts';
import { root } from './root.ts';

await buildKiosk({ outDir: join(root, 'dist'), engineId: process.env.SVC_ENGINE || undefined });
