import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** Folder of the base models. Looked up by name, so that it is found from the source, from dist and from another package's bundle. */
export function baseModelDirectory(): string {
  const manifest = createRequire(import.meta.url).resolve('@svc/face-models/package.json');
  return join(dirname(manifest), 'dist', 'models');
}

/** Where add-on models are installed and looked for: `$SVC_MODELS_DIR`, else `svc/models` in the user's data folder (XDG). */
export function defaultAddOnDirectory(): string {
  const { SVC_MODELS_DIR: chosen, XDG_DATA_HOME: data } = process.env;
  if (chosen !== undefined && chosen !== '') return chosen;
  // The XDG specification has relative paths ignored.
  return join(data !== undefined && isAbsolute(data) ? data : join(homedir(), '.local', 'share'), 'svc', 'models');
}
