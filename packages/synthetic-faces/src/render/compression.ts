import type { RenderedImage } from './sensor.ts';

/** Quantisation of ITU-T T.81, annex K, row by row. */
const lumaTable = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
  87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
  72, 92, 95, 98, 112, 100, 103, 99,
];
const chromaTable = lumaTable.map((_, i) => {
  const [row, column] = [i >> 3, i & 7];
  const near = [17, 18, 24, 47, 18, 21, 26, 66, 24, 26, 56, 99, 47, 66, 99, 99];
  return row < 4 && column < 4 ? (near[row * 4 + column] as number) : 99;
});

/** Scaled by a quality of 1 … 100 as libjpeg does it. */
function scaledTable(table: readonly number[], quality: number): Float32Array {
  const scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  return Float32Array.from(table, (step) => Math.min(255, Math.max(1, Math.floor((step * scale + 50) / 100))));
}

/** Orthonormal cosines: [frequency × 8 + place]. */
const cosines = Float32Array.from({ length: 64 }, (_, i) => {
  const [frequency, place] = [i >> 3, i & 7];
  return Math.cos(((2 * place + 1) * frequency * Math.PI) / 16) * (frequency === 0 ? Math.sqrt(1 / 8) : 0.5);
});

/** Even and odd frequencies apart: half of the products. Rows of `from` become columns of `to`. */
function transformRows(from: Float32Array, to: Float32Array): void {
  for (let row = 0; row < 8; row++) {
    const at = row * 8;
    for (let frequency = 0; frequency < 8; frequency++) {
      const sign = 1 - 2 * (frequency & 1);
      let sum = 0;
      for (let k = 0; k < 4; k++) {
        const pair = (from[at + k] as number) + sign * (from[at + 7 - k] as number);
        sum += (cosines[frequency * 8 + k] as number) * pair;
      }
      to[frequency * 8 + row] = sum;
    }
  }
}

function restoreRows(from: Float32Array, to: Float32Array): void {
  for (let row = 0; row < 8; row++) {
    const at = row * 8;
    for (let k = 0; k < 4; k++) {
      let [even, odd] = [0, 0];
      for (let frequency = 0; frequency < 8; frequency += 2) {
        even += (cosines[frequency * 8 + k] as number) * (from[at + frequency] as number);
        odd += (cosines[frequency * 8 + 8 + k] as number) * (from[at + frequency + 1] as number);
      }
      to[k * 8 + row] = even + odd;
      to[(7 - k) * 8 + row] = even - odd;
    }
  }
}

const block = new Float32Array(64);
const turned = new Float32Array(64);

/** A plane of values around 0 in blocks of 8 × 8, in place; edges repeated. */
function quantisePlane(plane: Float32Array, width: number, height: number, steps: Float32Array): void {
  for (let top = 0; top < height; top += 8) {
    for (let left = 0; left < width; left += 8) {
      for (let i = 0; i < 64; i++) {
        const [y, x] = [Math.min(height - 1, top + (i >> 3)), Math.min(width - 1, left + (i & 7))];
        block[i] = plane[y * width + x] as number;
      }
      transformRows(block, turned);
      transformRows(turned, block);
      let isFlat = true;
      for (let i = 0; i < 64; i++) {
        const step = steps[i] as number;
        const level = Math.round((block[i] as number) / step);
        block[i] = level * step;
        if (i > 0 && level !== 0) isFlat = false;
      }
      if (isFlat) block.fill((block[0] as number) / 8);
      else {
        restoreRows(block, turned);
        restoreRows(turned, block);
      }
      for (let i = 0; i < 64; i++) {
        const [y, x] = [top + (i >> 3), left + (i & 7)];
        if (y < height && x < width) plane[y * width + x] = block[i] as number;
      }
    }
  }
}

/**
 * What a JPEG, or the picture that a video codec sends whole, loses: colour at half the resolution either way (BT.601,
 * full range), and cosine transforms of 8 × 8 quantised. In place.
 *
 * @param quality 1 … 100
 */
export function quantise({ data, width, height }: RenderedImage, quality: number): void {
  const [columns, rows] = [(width + 1) >> 1, (height + 1) >> 1];
  const luma = new Float32Array(width * height);
  const [blue, red] = [new Float32Array(columns * rows), new Float32Array(columns * rows)];
  const count = new Uint8Array(columns * rows);
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      const [r, g, b] = [data[i * 4] as number, data[i * 4 + 1] as number, data[i * 4 + 2] as number];
      const grey = 0.299 * r + 0.587 * g + 0.114 * b;
      luma[i] = grey - 128;
      const at = (y >> 1) * columns + (x >> 1);
      blue[at] = (blue[at] as number) + (b - grey) / 1.772;
      red[at] = (red[at] as number) + (r - grey) / 1.402;
      count[at] = (count[at] as number) + 1;
    }
  }
  for (let i = 0; i < count.length; i++) {
    blue[i] = (blue[i] as number) / (count[i] as number);
    red[i] = (red[i] as number) / (count[i] as number);
  }
  quantisePlane(luma, width, height, scaledTable(lumaTable, quality));
  const steps = scaledTable(chromaTable, quality);
  quantisePlane(blue, columns, rows, steps);
  quantisePlane(red, columns, rows, steps);
  const byte = (value: number): number => (value <= 0 ? 0 : value >= 255 ? 255 : value + 0.5);
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i++) {
      const at = (y >> 1) * columns + (x >> 1);
      const [grey, cb, cr] = [(luma[i] as number) + 128, blue[at] as number, red[at] as number];
      data[i * 4] = byte(grey + 1.402 * cr);
      data[i * 4 + 1] = byte(grey - 0.344136 * cb - 0.714136 * cr);
      data[i * 4 + 2] = byte(grey + 1.772 * cb);
    }
  }
}
