import { keyMigration0001 } from './0001-keys.ts';

/** The key store's migrations, in the order in which they apply. A merged one never changes. */
export const keyMigrations: readonly { readonly name: string; readonly sql: string }[] = [keyMigration0001];
