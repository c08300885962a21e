/** Builds the site into `dist/`. `SVC_WIDGET_API_URL`: the API's address, for a site that another server serves. */
import { join } from 'node:path';
import { buildWidget, root } from './build-widget.ts';

await buildWidget({ outDir: join(root, 'dist'), apiUrl: process.env.SVC_WIDGET_API_URL || undefined });
