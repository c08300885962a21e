import { LRUCache } from 'lru-cache';
import type { SeenVersion } from '../../crypto/erasure-memory.ts';

const MAX_KNOWN = 10_000;

/**
 * Notes the highest version of each list that a device was sent, before it is sent. A restored database continues above it, so that no device
 * ever meets two contents under one version. What this node has noted is not noted again.
 */
export class SeenVersions {
  readonly #note: (seen: SeenVersion) => Promise<void>;
  readonly #known = new LRUCache<string, number>({ max: MAX_KNOWN });

  constructor(note: (seen: SeenVersion) => Promise<void>) {
    this.#note = note;
  }

  /** Resolves once the version is on record. */
  async see(seen: SeenVersion): Promise<void> {
    const { listId, version } = seen;
    if ((this.#known.get(listId) ?? -1) >= version) return;
    await this.#note(seen);
    this.#known.set(listId, version);
  }
}
