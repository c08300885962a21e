import { MAX_METADATA_KEYS, type Metadata, type MetadataChange } from '@svc/protocol';
import type { AccountVault } from '../crypto/account-vault.ts';
import { ServiceError } from '../platform/errors.ts';
import type { PageRequest } from '../platform/paging.ts';

/** A page of a collection, optionally of what has some metadata. */
export interface NotedPageRequest extends PageRequest {
  readonly metadata?: Metadata | undefined;
}

/**
 * Metadata with a change: keys that are not named stay, an empty value or null removes its key.
 * @throws ServiceError 'invalid-request' for too many keys
 */
export function changedMetadata(before: Metadata, change: MetadataChange | undefined): Metadata {
  if (change === undefined) return before;
  if (change === null) return {};
  const kept = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null && value !== '');
  if (kept.length <= MAX_METADATA_KEYS) return Object.fromEntries(kept) as Metadata;
  const errors = [{ pointer: '/metadata', detail: `must contain at most ${MAX_METADATA_KEYS} keys` }];
  throw new ServiceError('invalid-request', { errors });
}

/** A person's metadata as it is stored: sealed, and what it can be found by. Null for none. */
export interface SealedMetadata {
  readonly metadataSealed: Buffer | null;
  readonly metadataRefs: readonly Buffer[] | null;
}

/** Pseudonyms of keys with their values; people with all of them have all of these. */
export const metadataRefs = (vault: AccountVault, listId: string, metadata: Metadata): Buffer[] =>
  Object.entries(metadata).map(([key, value]) => vault.metadataPseudonym(listId, key, value));

/** @param rowId of the person, for whom alone it opens */
export function sealMetadata(vault: AccountVault, listId: string, rowId: string, metadata: Metadata): SealedMetadata {
  if (Object.keys(metadata).length === 0) return { metadataSealed: null, metadataRefs: null };
  const metadataSealed = vault.sealMetadata(rowId, JSON.stringify(metadata));
  return { metadataSealed, metadataRefs: metadataRefs(vault, listId, metadata) };
}

/** None where it was sealed for another row, over which a node of a former release enrolled anew. */
export function openMetadata(
  vault: AccountVault,
  { rowId, metadataSealed }: Pick<SealedMetadata, 'metadataSealed'> & { readonly rowId: string },
): Metadata {
  if (metadataSealed === null) return {};
  const opened = vault.openMetadata(rowId, metadataSealed);
  return opened === null ? {} : (JSON.parse(opened) as Metadata);
}
