import type { SeenVersion } from '../../crypto/erasure-memory.ts';

const MAX_KNOWN = 10_000;

/**
 * Notes the highest version of each list that a device was sent, before it is sent. A restored database continues above it, so that no device
 * ever meets two contents under one version. What this node has noted is not noted again.
 */
export class SeenVersions {
  readonly #note: (seen: SeenVersion) => Promise<void>;
  readonly #known = new Map<string, number>();

  constructor(note: (seen: SeenVersion) => Promise<void>) {
    this.#note = note;
  }

  /** Resolves once the version is on record. */
  async see(seen: SeenVersion): Promise<void> {
    const { listId, version } = seen;
    if ((this.#known.get(listId) ?? -1) >= version) return;
    await this.#note(seen);
    this.#known.delete(listId);
    this.#known.set(listId, version);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_KNOWN) break;
      this.#known.delete(oldest);
    }
  }
}
