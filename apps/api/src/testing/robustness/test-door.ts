import { createECDH, randomBytes } from 'node:crypto';
import {
  applyDelta,
  type Envelope,
  memorySource,
  packParts,
  parseDelta,
  parseEnvelope,
  parsePack,
  readPackContent,
  recordTag,
} from '@svc/core/pack';
import { syncManifestSchema } from '@svc/protocol';

/** A device that applies its sync answers and checks that they are consistent. */
export class TestDoor {
  readonly #token: string;
  readonly #key = createECDH('prime256v1').generateKeys('base64url', 'uncompressed');
  #version = 0;
  #stateHash = '';
  #pack = new Uint8Array();
  /** Lookup tags that it holds, in hex. */
  tags: ReadonlySet<string> = new Set();
  readonly findings: string[] = [];

  /** @param token of the device */
  constructor(token: string) {
    this.#token = token;
  }

  /** @returns the command in the answer; null when there was no valid answer @throws Error when there was no answer */
  async sync(url: string): Promise<'keep' | 'wipe' | null> {
    const response = await fetch(`${url}/v1/device/sync?since=${this.#version}`, {
      headers: {
        Authorization: `Bearer ${this.#token}`,
        'Svc-Device-Key': this.#key,
        'Svc-Nonce': randomBytes(16).toString('base64url'),
      },
      signal: AbortSignal.timeout(20_000),
    });
    const body = new Uint8Array(await response.arrayBuffer());
    if (response.status === 500) this.findings.push('a sync was answered 500');
    if (response.status !== 200) return null;
    const envelope = parseEnvelope(body);
    const manifest = syncManifestSchema.parse(JSON.parse(Buffer.from(envelope.manifest).toString('utf8')));
    if (manifest.command === 'keep') await this.#take(manifest, envelope);
    return manifest.command;
  }

  async #take({ toVersion, stateHash }: { toVersion: number; stateHash: string }, envelope: Envelope): Promise<void> {
    if (toVersion < this.#version) this.findings.push(`a list went back from ${this.#version} to ${toVersion}`);
    if (toVersion === this.#version && stateHash !== this.#stateHash) {
      this.findings.push(`one version with two states: ${toVersion}`);
    }
    if (envelope.payloadKind !== 0) {
      this.#pack = envelope.payloadKind === 1 ? envelope.payload.slice() : await this.#changed(envelope.payload);
      const pack = parsePack(this.#pack);
      if (Buffer.from(pack.stateHash()).toString('base64url') !== stateHash)
        this.findings.push('a pack of another state');
      const records = pack.epochs.flatMap((epoch) => [...epoch.records()]);
      this.tags = new Set(records.map((record) => Buffer.from(recordTag(record)).toString('hex')));
    }
    this.#version = toVersion;
    this.#stateHash = stateHash;
  }

  /** The held pack with these changes applied. */
  async #changed(delta: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    const parts: Uint8Array[] = [];
    const content = applyDelta(await readPackContent(memorySource(this.#pack)), parseDelta(delta));
    for await (const part of packParts(content)) parts.push(part);
    return Uint8Array.from(Buffer.concat(parts));
  }
}
