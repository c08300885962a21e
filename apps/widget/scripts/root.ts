import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of this package. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..');
