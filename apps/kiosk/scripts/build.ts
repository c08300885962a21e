/**
 * Builds the page into `dist/`, for the engine that the service of the same settings enrols with (`SVC_ENGINE`), with the passive check that
 * `SVC_PASSIVE_MODEL` names (`none` for none), else the default one.
 */
import { join } from 'node:path';
import { parsePassiveModel } from '@svc/device-sdk-web/assets';
import { buildKiosk } from './build-kiosk.ts';
import { root } from './root.ts';

const { SVC_ENGINE: engineId, SVC_PASSIVE_MODEL: passive } = process.env;
await buildKiosk({
  outDir: join(root, 'dist'),
  engineId: engineId || undefined,
  passiveModel: passive ? parsePassiveModel(passive) : undefined,
});
