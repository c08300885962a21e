/** Grey values, row-major; integer positions are pixel centres. */
export interface GreyPicture {
  readonly width: number;
  readonly height: number;
  readonly data: ArrayLike<number>;
}

export interface PatchMatch {
  /** Sub-pixel offset of the match in the other picture. */
  readonly dx: number;
  readonly dy: number;
  /** Normalised cross-correlation there, −1 to 1. */
  readonly agreement: number;
}

/** Half the side of a patch: 15 pixels cover a nose tip or an eye corner on the relief chip. */
const radius = 7;
const side = 2 * radius + 1;

/**
 * Finds patches of one picture in another: all move by the same offset, up to `reachX` and `reachY` pixels, with the
 * highest mean of their normalised cross-correlations, which are independent of brightness and contrast. Several
 * patches that move together are more reliable than one.
 * @returns null if a patch is not wholly in the picture or has no texture
 */
export function matchPatches(
  from: GreyPicture,
  to: GreyPicture,
  positions: readonly { readonly x: number; readonly y: number }[],
  reachX: number,
  reachY: number,
): PatchMatch | null {
  const patches: Patch[] = [];
  try {
    for (const position of positions) {
      const [x, y] = [Math.round(position.x), Math.round(position.y)];
      const values = new Float32Array(side * side);
      patches.push({ x, y, values });
      if (!readPatch(from, x, y, values)) return null;
    }
    return bestMatch(patches, to, reachX, reachY);
  } finally {
    // Wipes the parts of a face.
    for (const { values } of patches) values.fill(0);
  }
}

interface Patch {
  readonly x: number;
  readonly y: number;
  /** Mean removed, unit length. */
  readonly values: Float32Array;
}

function bestMatch(patches: readonly Patch[], to: GreyPicture, reachX: number, reachY: number): PatchMatch | null {
  const agreementAt = (dx: number, dy: number): number | null => {
    let sum = 0;
    for (const { x, y, values } of patches) {
      const agreement = correlation(values, to, x + dx, y + dy);
      if (agreement === null) return null;
      sum += agreement;
    }
    return sum / patches.length;
  };
  let best: PatchMatch | null = null;
  for (let dy = -reachY; dy <= reachY; dy++) {
    for (let dx = -reachX; dx <= reachX; dx++) {
      const agreement = agreementAt(dx, dy);
      if (agreement !== null && (best === null || agreement > best.agreement)) best = { dx, dy, agreement };
    }
  }
  if (best === null) return null;
  const { dx, dy, agreement } = best;
  return { dx: dx + peakBetween(agreementAt(dx - 1, dy), agreement, agreementAt(dx + 1, dy)), dy, agreement };
}

/** Vertex of the parabola through three neighbours, −0.5 to 0.5 from the middle one. */
function peakBetween(before: number | null, middle: number, after: number | null): number {
  if (before === null || after === null) return 0;
  const bend = before - 2 * middle + after;
  return bend < 0 ? Math.max(-0.5, Math.min(0.5, (before - after) / (2 * bend))) : 0;
}

const isInside = ({ width, height }: GreyPicture, x: number, y: number): boolean =>
  x >= radius && y >= radius && x < width - radius && y < height - radius;

/** @returns whether the patch is wholly in the picture and has texture */
function readPatch(picture: GreyPicture, x: number, y: number, values: Float32Array): boolean {
  if (!isInside(picture, x, y)) return false;
  let sum = 0;
  for (let j = 0; j < side; j++) {
    const row = (y - radius + j) * picture.width + x - radius;
    for (let i = 0; i < side; i++) {
      const value = picture.data[row + i] ?? 0;
      values[j * side + i] = value;
      sum += value;
    }
  }
  const mean = sum / values.length;
  let squares = 0;
  for (let i = 0; i < values.length; i++) {
    const value = (values[i] ?? 0) - mean;
    values[i] = value;
    squares += value * value;
  }
  if (squares < values.length) return false;
  const length = Math.sqrt(squares);
  for (let i = 0; i < values.length; i++) values[i] = (values[i] ?? 0) / length;
  return true;
}

function correlation(patch: Float32Array, picture: GreyPicture, x: number, y: number): number | null {
  if (!isInside(picture, x, y)) return null;
  let product = 0;
  let sum = 0;
  let squares = 0;
  for (let j = 0; j < side; j++) {
    const row = (y - radius + j) * picture.width + x - radius;
    for (let i = 0; i < side; i++) {
      const value = picture.data[row + i] ?? 0;
      product += value * (patch[j * side + i] ?? 0);
      sum += value;
      squares += value * value;
    }
  }
  const variance = squares - (sum * sum) / patch.length;
  return variance < patch.length ? null : product / Math.sqrt(variance);
}
