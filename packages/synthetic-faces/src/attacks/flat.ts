import { gridSurface, vertexNormals } from '../geometry/surface.ts';
import { clamp, headRotation, radians } from '../math.ts';
import { backgroundToDrawOn } from '../render/background.ts';
import { lightingFrom } from '../render/lighting.ts';
import type { Material, Part } from '../render/part.ts';
import { reachOf } from '../render/place.ts';
import type { RenderedImage } from '../render/sensor.ts';
import { drawParts, photograph } from '../scene.ts';
import { decode, type LitFrame, type LitScene, litScene } from '../screen-light/flat-scene.ts';
import type { FrameOptions, HeadOptions } from '../types.ts';

/** Bilinear linear-light reading of an 8-bit picture at (u, v) in 0..1, written to `out`. */
export function readPicture(image: RenderedImage, u: number, v: number, out: Float32Array): void {
  const x = clamp(u * image.width - 0.5, 0, image.width - 1.001);
  const y = clamp(v * image.height - 0.5, 0, image.height - 1.001);
  const [ix, iy] = [x | 0, y | 0];
  const [fx, fy] = [x - ix, y - iy];
  const at = (iy * image.width + ix) * 4;
  const below = at + image.width * 4;
  for (let k = 0; k < 3; k++) {
    const top =
      (decode[image.data[at + k] as number] as number) * (1 - fx) +
      (decode[image.data[at + 4 + k] as number] as number) * fx;
    const bottom =
      (decode[image.data[below + k] as number] as number) * (1 - fx) +
      (decode[image.data[below + 4 + k] as number] as number) * fx;
    out[k] = top * (1 - fy) + bottom * fy;
  }
}

/** How a flat thing is held before the camera. */
export interface FlatPose {
  /** About the vertical axis, positive to the viewer's right, degrees. Default 0. */
  readonly turnDeg?: number;
  /** Top towards (positive) or away from the camera, degrees. Default 0. */
  readonly tiltDeg?: number;
  /** In its own plane, clockwise for the viewer, degrees. Default 0. */
  readonly rollDeg?: number;
  /** Arc in degrees over its width, as paper bends about a vertical line; 0 flat. Default 0. */
  readonly bend?: number;
  /** Scale as of a head: 1 shows the face as large as a head at distance 1. Default 1. */
  readonly distance?: number;
  /**
   * How far in front of its axis of rotation it is held, canonical units (a face is 15 wide). Default 0: it turns about
   * its middle.
   */
  readonly swing?: number;
}

interface FlatSheet {
  /** Canonical units. */
  readonly width: number;
  readonly height: number;
}

const faceWidth = 15.4;

/** Share of a picture's width that the face in it takes. */
export const facePictureShare = 0.4;

/** A sheet large enough for its picture's face to be life-size, plus a border as a share of the width. */
export function sheetFor(pictureWidth: number, pictureHeight: number, border: number): FlatSheet {
  const picture = faceWidth / facePictureShare;
  const edge = 2 * border * picture;
  return { width: picture + edge, height: (picture * pictureHeight) / pictureWidth + edge };
}

function posedPoint(
  pose: FlatPose,
  sheet: FlatSheet,
): (u: number, v: number, lift?: number) => [number, number, number] {
  const reach = reachOf(pose.distance ?? 1);
  const r = headRotation(pose.turnDeg ?? 0, -(pose.tiltDeg ?? 0), pose.rollDeg ?? 0);
  const arc = radians(pose.bend ?? 0);
  const swing = pose.swing ?? 0;
  return (u, v, lift = 0) => {
    let x = (u - 0.5) * sheet.width;
    const y = (0.5 - v) * sheet.height;
    let z = lift;
    if (Math.abs(arc) > 1e-6) {
      const radius = sheet.width / arc;
      const angle = x / radius;
      [x, z] = [(radius + lift) * Math.sin(angle), (radius + lift) * Math.cos(angle) - radius];
    }
    z += swing;
    return [
      r[0] * x + r[1] * y + r[2] * z,
      r[3] * x + r[4] * y + r[5] * z,
      r[6] * x + r[7] * y + r[8] * z - reach - swing,
    ];
  };
}

/**
 * A sheet or a part of one, from (left, top) to (right, bottom) in sheet coordinates 0..1, lifted off the sheet by some
 * units.
 */
export function flatPart(
  pose: FlatPose,
  sheet: FlatSheet,
  material: Material,
  area: readonly [number, number, number, number] = [0, 0, 1, 1],
  lift = 0,
): Part {
  const at = posedPoint(pose, sheet);
  const [left, top, right, bottom] = area;
  const columns = pose.bend ? 48 : 1;
  const surface = gridSurface(columns, 1, (u, v) => at(left + (right - left) * u, top + (bottom - top) * v, lift));
  const normals = vertexNormals(surface.positions, surface.triangles);
  return { ...surface, normals, occlusion: null, material, twoSided: true, castsShadow: true };
}

/** Flat things in the light and through the camera of a head's scene. */
export function photographFlat(
  frame: FrameOptions,
  parts: readonly Part[],
  head: HeadOptions,
  softness: number,
): RenderedImage {
  const target = backgroundToDrawOn(frame.width, frame.height, frame.background);
  drawParts(frame, parts, [{ lighting: lightingFrom(head.light ?? {}), target }], [128, 0.5], 0);
  return photograph(target, frame, head, softness);
}

/** Flat things in the room's light and in that of a screen. */
export const litFlat = (frame: LitFrame, parts: readonly Part[]): LitScene =>
  litScene(frame, (ways) => drawParts(frame, parts, ways, [128, 0.5], 0));
