import { fileURLToPath } from 'node:url';

/** No add-on is installed there, whatever is installed on this machine. */
export const NO_ADD_ONS = { SVC_MODELS_DIR: fileURLToPath(new URL('node_modules/.no-add-ons', import.meta.url)) };
