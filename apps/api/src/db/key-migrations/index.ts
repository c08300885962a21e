import { keyMigration0001 } from './0001-keys.ts';
import { keyMigration0002 } from './0002-secrets.ts';

/** The key store's migrations in order. A merged one never changes. */
export const keyMigrations: readonly { readonly name: string; readonly sql: string }[] = [
  keyMigration0001,
  keyMigration0002,
];
