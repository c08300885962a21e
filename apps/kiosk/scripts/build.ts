/**
 * Builds the page into `dist/`, with every engine that is installed, or those alone that `SVC_KIOSK_ENGINES` names
 * (separated by commas), and with the passive check that `SVC_PASSIVE_MODEL` names (`none` for none), else the default
 * one.
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
