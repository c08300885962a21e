import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { ModelError } from '../model-error.ts';

/**
 * Folder of the base models. Looked up by name, so that it is found from the source, from dist and from another package's bundle.
 *
 * @throws ModelError `model-missing` from a bundle whose package does not depend on this one
 */
export function baseModelDirectory(): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('@svc/face-models/package.json')), 'dist', 'models');
  } catch (cause) {
    throw new ModelError('model-missing', 'the package @svc/face-models is not installed', { cause });
  }
}

/** Where add-on models are installed and looked for: `$SVC_MODELS_DIR`, else `svc/models` in the user's data folder (XDG). */
export function defaultAddOnDirectory(): string {
  const { SVC_MODELS_DIR: chosen, XDG_DATA_HOME: data } = process.env;
  // As the deployment's other paths: a command that `npm run` starts runs in another folder than it was called from.
  if (chosen !== undefined && chosen !== '') return resolve(process.env.SVC_INVOKED_FROM ?? process.cwd(), chosen);
  // The XDG specification has relative paths ignored.
  return join(data !== undefined && isAbsolute(data) ? data : join(homedir(), '.local', 'share'), 'svc', 'models');
}
