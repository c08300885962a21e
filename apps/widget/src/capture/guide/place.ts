import type { FaceBox } from '../../ports.ts';

/** Where in the picture a good face is, as fractions of the shorter side unless noted otherwise. */
export const placeLimits = {
  /** Minimum distance of the eye centres; the face is then as wide as a quarter of the side. */
  interEye: 0.11,
  /** Minimum distance of the eye centres, relative to enrolment's limit in pixels, for cameras of low resolution. */
  interEyeOfEnrolment: 1.25,
  /** Maximum width of the face: lenses distort faces that are nearer. */
  faceWidth: 0.75,
  /** Maximum distance of the face's centre from the picture's, as fractions of width and height. */
  offCentre: { x: 0.2, y: 0.2 },
} as const;

/** In pixels. */
interface Size {
  readonly width: number;
  readonly height: number;
}

/** An upright ellipse in picture pixels, unmirrored. */
export interface Oval {
  readonly cx: number;
  readonly cy: number;
  readonly rx: number;
  readonly ry: number;
}

/** Widths of a face for which the oval is drawn, as fractions of the shorter side: inside the limits of the place. */
const drawnWidths = { min: 0.3, none: 0.4, max: 0.6 } as const;
/** Maximum width of the face, as a fraction of the picture's height: the oval fits into a landscape picture. */
const drawnInHeight = 0.5;
/** Maximum distance of the oval from the picture's centre: a face that fills the oval is inside {@link placeLimits}. */
const drawnOffCentre = 0.14;
/** The engine's box ends at forehead and chin; the oval contains the head. In widths of the face. */
const ofFace = { rx: 0.68, ry: 0.92, up: 0.09 } as const;

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value));

/**
 * The oval that the guest's face should fill: at the face, as large as the face, as far as a face there and of this
 * size is good. So a face that is too far away, too near or at the edge does not fill it. Without a face it is in the
 * middle.
 */
export function ovalFor(face: FaceBox | null, { width, height }: Size): Oval {
  const side = Math.min(width, height);
  const widest = Math.min(drawnWidths.max * side, drawnInHeight * height);
  const faceWidth = face === null ? drawnWidths.none * side : clamp(face.width * width, drawnWidths.min * side, widest);
  const centre = (at: number | null): number => clamp(at ?? 0.5, 0.5 - drawnOffCentre, 0.5 + drawnOffCentre);
  const [rx, ry] = [faceWidth * ofFace.rx, faceWidth * ofFace.ry];
  return {
    // A large oval stays inside the picture.
    cx: clamp(centre(face && face.x + face.width / 2) * width, rx, width - rx),
    cy: clamp(centre(face && face.y + face.height / 2) * height - faceWidth * ofFace.up, ry, height - ry),
    rx,
    ry,
  };
}
