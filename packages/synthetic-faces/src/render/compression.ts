import type { RenderedImage } from './sensor.ts';

/** Quantisation of luma of ITU-T T.81, annex K, row by row. */
const lumaTable = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
  87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
  72, 92, 95, 98, 112, 100, 103, 99,
];

/** Orthonormal cosines: [frequency × 8 + place]. */
const cosines = Float32Array.from({ length: 64 }, (_, i) => {
  const [frequency, place] = [i >> 3, i & 7];
  return Math.cos(((2 * place + 1) * frequency * Math.PI) / 16) * (frequency === 0 ? Math.sqrt(1 / 8) : 0.5);
});
const transposed = cosines.map((_, i) => cosines[(i & 7) * 8 + (i >> 3)] as number);

/** Each row of `from` times a matrix, as a column of `to`; twice is a transform in both directions. */
function transformRows(matrix: Float32Array, from: Float32Array, to: Float32Array): void {
  for (let row = 0, column = 0; row < 64; row += 8, column++) {
    const [a, b, c, d] = [from[row], from[row + 1], from[row + 2], from[row + 3]] as [number, number, number, number];
    const [e, f, g, h] = [from[row + 4], from[row + 5], from[row + 6], from[row + 7]] as [
      number,
      number,
      number,
      number,
    ];
    for (let i = 0; i < 64; i += 8) {
      const low = (matrix[i] as number) * a + (matrix[i + 1] as number) * b + (matrix[i + 2] as number) * c;
      const high = (matrix[i + 5] as number) * f + (matrix[i + 6] as number) * g + (matrix[i + 7] as number) * h;
      to[i + column] = low + (matrix[i + 3] as number) * d + (matrix[i + 4] as number) * e + high;
    }
  }
}

const byte = (value: number): number => Math.max(0, Math.min(255, Math.round(value)));

/** ITU-R BT.601 weights, full range. */
const lumaAt = (data: Uint8Array, at: number): number =>
  0.299 * (data[at] as number) + 0.587 * (data[at + 1] as number) + 0.114 * (data[at + 2] as number);

/**
 * Colour difference of each two by two pixels becomes their mean: 4:2:0 as video is sent. In place.
 */
export function halveChroma({ data, width, height }: RenderedImage): void {
  for (let y = 0; y + 1 < height; y += 2) {
    for (let x = 0; x + 1 < width; x += 2) {
      const first = (y * width + x) * 4;
      const four = [first, first + 4, first + width * 4, first + width * 4 + 4];
      let [red, blue] = [0, 0];
      for (const at of four) {
        red += ((data[at] as number) - lumaAt(data, at)) / 4;
        blue += ((data[at + 2] as number) - lumaAt(data, at)) / 4;
      }
      for (const at of four) {
        const grey = lumaAt(data, at);
        // What red and blue differ by fixes green, since the luma stays.
        const green = grey - (0.299 * red + 0.114 * blue) / 0.587;
        data[at] = byte(grey + red);
        data[at + 1] = byte(green);
        data[at + 2] = byte(grey + blue);
      }
    }
  }
}

/**
 * What a JPEG, or the picture that a video codec sends whole, loses of brightness: cosine transforms of 8 × 8 are
 * quantised. In place; a part of a block at the edge stays.
 *
 * @param quality 1 … 100, as libjpeg scales it
 */
export function quantise({ data, width, height }: RenderedImage, quality: number): void {
  const scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  const steps = lumaTable.map((step) => Math.min(255, Math.max(1, Math.floor((step * scale + 50) / 100))));
  const [luma, block, turned] = [new Float32Array(64), new Float32Array(64), new Float32Array(64)];
  const places = Int32Array.from({ length: 64 }, (_, i) => ((i >> 3) * width + (i & 7)) * 4);
  for (let top = 0; top + 8 <= height; top += 8) {
    for (let left = 0; left + 8 <= width; left += 8) {
      const corner = (top * width + left) * 4;
      for (let i = 0; i < 64; i++) luma[i] = lumaAt(data, corner + (places[i] as number)) - 128;
      transformRows(cosines, luma, turned);
      transformRows(cosines, turned, block);
      for (let i = 0; i < 64; i++) {
        const step = steps[i] as number;
        block[i] = Math.round((block[i] as number) / step) * step;
      }
      transformRows(transposed, block, turned);
      transformRows(transposed, turned, block);
      for (let i = 0; i < 64; i++) {
        const at = corner + (places[i] as number);
        const change = (block[i] as number) - (luma[i] as number);
        for (let k = at; k < at + 3; k++) data[k] = byte((data[k] as number) + change);
      }
    }
  }
}
