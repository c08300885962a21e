import type { RenderedImage } from '../render/sensor.ts';

/** Colour difference of each two by two pixels becomes their mean: 4:2:0 as video is sent, ITU-R BT.601 weights, full range. In place. */
export function halveChroma({ data, width, height }: RenderedImage): void {
  const luma = (at: number): number =>
    0.299 * (data[at] as number) + 0.587 * (data[at + 1] as number) + 0.114 * (data[at + 2] as number);
  for (let y = 0; y + 1 < height; y += 2) {
    for (let x = 0; x + 1 < width; x += 2) {
      const first = (y * width + x) * 4;
      const four = [first, first + 4, first + width * 4, first + width * 4 + 4];
      let [red, blue] = [0, 0];
      for (const at of four) {
        red += ((data[at] as number) - luma(at)) / 4;
        blue += ((data[at + 2] as number) - luma(at)) / 4;
      }
      for (const at of four) {
        const grey = luma(at);
        // What red and blue differ by fixes green, since the luma stays.
        const green = grey - (0.299 * red + 0.114 * blue) / 0.587;
        data[at] = byte(grey + red);
        data[at + 1] = byte(green);
        data[at + 2] = byte(grey + blue);
      }
    }
  }
}

const byte = (value: number): number => Math.max(0, Math.min(255, Math.round(value)));
