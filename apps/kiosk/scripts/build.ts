/**
 * Builds the page into `dist/`. `SVC_KIOSK_ENGINES`: engine ids separated by commas (default: all installed).
 * `SVC_PASSIVE_MODEL`: the passive check, or `none` (default: that of the model bundle).
 */
import { join } from 'node:path';
import { parsePassiveModel } from '@svc/device-sdk-web/assets';
import { buildKiosk, root } from './build-kiosk.ts';

const { SVC_KIOSK_ENGINES: engines, SVC_PASSIVE_MODEL: passive } = process.env;
await buildKiosk({
  outDir: join(root, 'dist'),
  engineIds: engines ? engines.split(',').map((id) => id.trim()) : undefined,
  passiveModel: passive ? parsePassiveModel(passive) : undefined,
});
