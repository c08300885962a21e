/** Reading one record reads one or two chunks: small enough to be quick, large enough that a pack has few rows. */
export const CHUNK_BYTES = 65_536;

/** Copies bytes into chunks of {@link CHUNK_BYTES} (the last may be shorter), at most `chunksABatch` at a time. */
export async function* inBatches(
  parts: AsyncIterable<Uint8Array>,
  chunksABatch: number,
): AsyncGenerator<readonly Uint8Array[]> {
  let batch: Uint8Array[] = [];
  let chunk = new Uint8Array(CHUNK_BYTES);
  let filled = 0;
  for await (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const taken = part.subarray(at, at + CHUNK_BYTES - filled);
      chunk.set(taken, filled);
      at += taken.length;
      filled += taken.length;
      if (filled < CHUNK_BYTES) continue;
      batch.push(chunk);
      chunk = new Uint8Array(CHUNK_BYTES);
      filled = 0;
      if (batch.length < chunksABatch) continue;
      yield batch;
      batch = [];
    }
  }
  if (filled > 0) batch.push(chunk.slice(0, filled));
  if (batch.length > 0) yield batch;
}
