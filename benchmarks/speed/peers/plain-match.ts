/** Unit vectors to search, packed, and where the answers go. */
export interface PlainGallery {
  readonly rows: Float32Array;
  readonly dimension: number;
  readonly out: Float32Array;
}

// Non-null reads below would cost nothing, but `?? 0` in an inner loop does: the loops go through typed array views whose
// element type the compiler widens, hence `as number`, which is true for every index that they form.

/** The loop that everybody writes first. */
export function oneAccumulatorCosines(probe: Float32Array, { rows, dimension, out }: PlainGallery): Float32Array {
  for (let row = 0; row < out.length; row++) {
    let sum = 0;
    const start = row * dimension;
    for (let i = 0; i < dimension; i++) sum += (probe[i] as number) * (rows[start + i] as number);
    out[row] = sum;
  }
  return out;
}

/** The same with four independent sums, so that additions need not wait for each other; the dimension is a multiple of 4. */
export function unrolledCosines(probe: Float32Array, { rows, dimension, out }: PlainGallery): Float32Array {
  for (let row = 0; row < out.length; row++) {
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    const start = row * dimension;
    for (let i = 0; i < dimension; i += 4) {
      a += (probe[i] as number) * (rows[start + i] as number);
      b += (probe[i + 1] as number) * (rows[start + i + 1] as number);
      c += (probe[i + 2] as number) * (rows[start + i + 2] as number);
      d += (probe[i + 3] as number) * (rows[start + i + 3] as number);
    }
    out[row] = a + b + (c + d);
  }
  return out;
}
