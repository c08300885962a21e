import { type PackContent, type PackIndex, readPackContent } from '@svc/core/pack';
import type { PackReader } from '../ports/pack-store.ts';
import type { HeldList } from './trust-state.ts';

/** The list that is served: its pack in the store, and what lookups need of it in memory. */
export interface HeldPack {
  readonly list: HeldList;
  readonly index: PackIndex;
  readonly reader: PackReader;
}

/** The pack's content, read from the store as it is needed. @throws FaceError `pack-invalid`; what the reader throws */
export function contentOf({ reader }: Pick<HeldPack, 'reader'>): Promise<PackContent> {
  return readPackContent(reader);
}
