import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A file or folder beside the repository; null where it is not there. */
export function sharedPath(relative: string): string | null {
  const path = fileURLToPath(new URL(`../../../../shared/${relative}`, import.meta.url));
  return existsSync(path) ? path : null;
}
