import { migration0001 } from './0001-initial.ts';

/** In the order in which they apply. A merged one never changes: expand with a new one, contract with a later one. */
export const migrations: readonly { readonly name: string; readonly sql: string }[] = [migration0001];
