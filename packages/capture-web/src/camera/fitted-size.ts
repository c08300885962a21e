/** In pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Scales a size down, never up, until its longest side is at most `longestSidePx`; no side falls below 1 px. */
export function fittedSize({ width, height }: Size, longestSidePx: number): Size {
  const scale = Math.min(1, longestSidePx / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
