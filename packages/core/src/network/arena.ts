/** Memory that is needed from step `from` to step `to`, inclusive. */
export interface Lifetime {
  readonly bytes: number;
  readonly from: number;
  readonly to: number;
}

export interface Arena {
  /** Offset of each block, a multiple of 16. */
  readonly offsets: readonly number[];
  readonly bytes: number;
}

interface Placed extends Lifetime {
  readonly offset: number;
}

/** Places blocks so that simultaneous ones never overlap: largest first, each in the lowest gap that fits. */
export function placeBlocks(blocks: readonly Lifetime[]): Arena {
  const offsets: number[] = blocks.map(() => 0);
  const placed: Placed[] = [];
  const order = blocks.map((block, index) => ({ ...block, index })).sort((a, b) => b.bytes - a.bytes);
  for (const { index, ...block } of order) {
    const bytes = Math.ceil(block.bytes / 16) * 16;
    const offset = lowestGap(
      bytes,
      placed.filter((other) => other.from <= block.to && block.from <= other.to),
    );
    offsets[index] = offset;
    placed.push({ ...block, bytes, offset });
  }
  return { offsets, bytes: Math.max(0, ...placed.map(({ offset, bytes }) => offset + bytes)) };
}

function lowestGap(bytes: number, neighbours: readonly Placed[]): number {
  let offset = 0;
  for (const other of [...neighbours].sort((a, b) => a.offset - b.offset)) {
    if (offset + bytes <= other.offset) break;
    offset = Math.max(offset, other.offset + other.bytes);
  }
  return offset;
}
