import { type PackContent, type PackIndex, readPackContent } from '@svc/core/pack';
import type { PackReader } from '../ports/pack-store.ts';
import type { HeldList } from './trust-state.ts';

/** The active list: its pack in the store, and its index in memory. */
export interface HeldPack {
  readonly list: HeldList;
  readonly index: PackIndex;
  readonly reader: PackReader;
}

/** The pack's content, read from the store on demand. @throws FaceError `pack-invalid`, and errors of the reader */
export function contentOf({ reader }: Pick<HeldPack, 'reader'>): Promise<PackContent> {
  return readPackContent(reader);
}
