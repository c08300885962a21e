import {
  canonicalFace,
  canonicalVertexCount,
  leftLowerLid,
  leftUpperLid,
  rightLowerLid,
  rightUpperLid,
} from '../geometry/canonical.ts';
import { bell, clamp, lerp, smoothstep } from '../math.ts';
import { Random } from '../random.ts';
import { defaultSpread, type Traits } from './traits.ts';
import { type FineBump, fineBumps, isWide, wideRippleGain } from './wide-people.ts';

/** Centre of the eye opening of the average face, for x ≥ 0. */
const eye = { x: 3.15, y: 2.63, z: 3.7 } as const;

const upperLids = new Set<number>([...rightUpperLid.slice(1, -1), ...leftUpperLid.slice(1, -1)]);
const lowerLids = new Set<number>([...rightLowerLid.slice(1, -1), ...leftLowerLid.slice(1, -1)]);

/** A point of the face while it is shaped, with its position at rest. */
interface Point {
  readonly vertex: number;
  readonly restX: number;
  readonly restY: number;
  readonly restZ: number;
  /** Distance from the middle plane at rest, and the side: −1 the viewer's left, 1 right. */
  readonly ax: number;
  readonly side: number;
  x: number;
  y: number;
  z: number;
}

type Handles = Traits['shape'];

interface Ripple extends FineBump {
  readonly side: number;
}

/** Smooth bumps unrelated to any named feature, which distinguish people with the same proportions. */
function ripplesOf(traits: Traits): readonly Ripple[] {
  const random = new Random(traits.seed, 'ripples');
  const size = traits.spread / defaultSpread;
  const gain = isWide(traits.seed) ? wideRippleGain : { plane: 1, depth: 1 };
  const bump = (side: number, amplitude: number, sigma: number): Ripple => ({
    x: random.range(0, 7),
    y: random.range(-8.5, 7.5),
    z: random.range(0, 6),
    sigma,
    dx: gain.plane * size * amplitude * random.normal(),
    dy: gain.plane * size * amplitude * random.normal(),
    dz: gain.depth * size * amplitude * random.normal(),
    side,
  });
  const ripples: Ripple[] = [];
  for (let i = 0; i < 14; i++) ripples.push(bump(0, 0.42, random.range(1.3, 2.6)));
  for (let i = 0; i < 6; i++)
    ripples.push(bump(random.chance(0.5) ? 1 : -1, 0.16 * traits.asymmetry, random.range(1.4, 2.8)));
  if (isWide(traits.seed)) ripples.push(...fineBumps(traits.seed, traits.spread).map((bump) => ({ ...bump, side: 0 })));
  return ripples;
}

/** Eyes: about each centre, fading out before brows and cheeks. */
function eyes(p: Point, h: Handles): void {
  const { restX: rx, restY: ry, ax, side } = p;
  const near = bell(((ax - eye.x) / 2.1) ** 2 + ((ry - eye.y) / 1.35) ** 2);
  const centred = bell((rx / 0.9) ** 2);
  const [ex, ey] = [ax - eye.x, ry - eye.y];
  const size = 0.1 * h.eyeSize;
  const opening = clamp(0.22 * h.eyeOpening, -0.5, 0.5);
  const angle = 0.085 * h.eyeSlant;
  let [fx, fy] = [ex * (1 + size), ey * (1 + size + opening * bell(((ry - eye.y) / 0.9) ** 2))];
  [fx, fy] = [fx * Math.cos(angle) - fy * Math.sin(angle), fx * Math.sin(angle) + fy * Math.cos(angle)];
  p.x += side * (fx - ex) * near * (1 - centred);
  p.y += (fy - ey) * near;
  p.x += side * 0.27 * h.eyeDistance * bell(((ax - eye.x) / 2.6) ** 2 + ((ry - 3) / 2.2) ** 2) * (1 - centred);
  p.y += 0.3 * h.eyeHeight * bell(((ax - eye.x) / 3) ** 2 + ((ry - 3) / 2.2) ** 2);
  p.z -= 0.22 * h.eyeDepth * bell(((ax - eye.x) / 1.9) ** 2 + ((ry - eye.y) / 1.3) ** 2);
  if (upperLids.has(p.vertex)) p.y -= clamp(0.11 * h.lidHood * smoothstep(1.9, 4.4, ax), 0, 0.26);
  const innerCorner = bell(((ax - 1.95) / 0.55) ** 2 + ((ry - 2.6) / 0.5) ** 2);
  p.y -= 0.13 * h.epicanthus * innerCorner;
  p.x -= side * 0.14 * h.epicanthus * innerCorner;
  if (lowerLids.has(p.vertex)) p.y += 0.03 * h.lidHood;
}

/** Height of the brows, their ridge, and the forehead. */
function browsAndForehead(p: Point, h: Handles): void {
  const { restY: ry, ax } = p;
  const brow = bell(((ry - 4.7) / 0.95) ** 2) * smoothstep(7.2, 5.5, ax);
  p.y += 0.33 * h.browHeight * brow;
  p.z += 0.24 * h.browRidge * bell(((ry - 4.35) / 0.8) ** 2) * smoothstep(7, 5, ax);
  p.y += 0.62 * h.foreheadHeight * smoothstep(4.6, 8.3, ry);
  p.x *= 1 + 0.035 * h.foreheadWidth * smoothstep(3, 7.5, ry);
  p.z += -0.4 * h.foreheadSlope * smoothstep(4.5, 8.3, ry);
}

/** Cheekbones, cheeks and what hangs from them. */
function cheeks(p: Point, h: Handles): void {
  const { restY: ry, ax, side } = p;
  const cheekbone = bell(((ax - 5.4) / 1.7) ** 2 + ((ry - 0.5) / 1.6) ** 2);
  p.x += side * 0.27 * h.cheekboneWidth * cheekbone;
  p.z += 0.32 * h.cheekboneForward * bell(((ax - 4.4) / 1.6) ** 2 + ((ry - 0.3) / 1.5) ** 2);
  const cheek = bell(((ax - 4.7) / 1.9) ** 2 + ((ry + 3) / 1.9) ** 2);
  p.z += 0.42 * h.cheekFullness * cheek;
  p.x += side * 0.32 * h.cheekFullness * cheek;
  const jowl = bell(((ax - 4.2) / 1.2) ** 2 + ((ry + 6.6) / 1.3) ** 2);
  p.y -= 0.35 * h.jowls * jowl;
  p.x += side * 0.25 * h.jowls * jowl;
}

/** Bridge, tip, wings. */
function nose(p: Point, h: Handles): void {
  const { restX: rx, restY: ry, restZ: rz, ax, side } = p;
  const nose = smoothstep(2.9, 1.6, ax) * smoothstep(-2.9, -2.1, ry) * smoothstep(3.4, 0.2, ry);
  p.x *= 1 + clamp(0.15 * h.noseWidth, -0.34, 0.6) * nose;
  const bridge = smoothstep(1.9, 0.5, ax) * bell(((ry - 2.4) / 1.5) ** 2);
  p.z += 0.36 * h.noseBridge * bridge;
  p.x *= 1 + 0.16 * h.noseBridgeWidth * smoothstep(2.2, 1, ax) * bell(((ry - 1.9) / 1.5) ** 2);
  const tip = smoothstep(2.2, 0.7, ax) * bell(((ry + 0.7) / 1.25) ** 2);
  p.z += 0.42 * h.noseForward * tip;
  p.y += 0.34 * h.noseTipUp * tip;
  p.z += 0.26 * h.noseHump * bell((rx / 0.9) ** 2 + ((ry - 1.5) / 0.85) ** 2);
  const bulb = bell((rx / 1.1) ** 2 + ((ry + 0.7) / 0.9) ** 2) * smoothstep(5, 6.6, rz);
  p.x *= 1 + 0.22 * h.noseTipSize * bulb;
  p.y += 0.12 * h.noseTipSize * bulb * (ry + 0.7);
  const wing = bell(((ax - 1.7) / 0.65) ** 2 + ((ry + 1.35) / 0.75) ** 2);
  p.x += side * 0.17 * h.nostrilFlare * wing;
  p.y += 0.07 * h.nostrilFlare * wing;
  p.x += 0.11 * h.noseBend * smoothstep(2.2, 0.6, ax) * bell(((ry - 0.6) / 1.4) ** 2);
}

/** Width, place and fullness of the lips. */
function mouth(p: Point, h: Handles): void {
  const { restY: ry, restZ: rz, ax } = p;
  const mouth = bell((ax / 2.7) ** 4 + ((ry + 4.4) / 1.25) ** 2);
  p.x *= 1 + clamp(0.11 * h.mouthWidth, -0.26, 0.34) * mouth;
  p.y += 0.24 * h.mouthHeight * bell((ax / 3.4) ** 2 + ((ry + 4.4) / 1.5) ** 2);
  const upper = bell((ax / 2) ** 4 + ((ry + 3.45) / 0.42) ** 2) * smoothstep(4, 4.9, rz);
  p.y += clamp(0.19 * h.upperLip, -0.34, 0.6) * upper;
  p.z += 0.1 * h.upperLip * upper;
  const lower = bell((ax / 2) ** 4 + ((ry + 5.3) / 0.45) ** 2) * smoothstep(4, 4.9, rz);
  p.y -= clamp(0.2 * h.lowerLip, -0.4, 0.66) * lower;
  p.z += 0.13 * h.lowerLip * lower;
  p.z += 0.24 * h.lipForward * bell((ax / 2.2) ** 2 + ((ry + 4.4) / 1.3) ** 2);
  p.y += 0.16 * h.mouthCorners * bell(((ax - 2.45) / 0.8) ** 2 + ((ry + 4.35) / 0.6) ** 2);
  p.y +=
    0.12 *
    h.cupidBow *
    (bell(((ax - 0.75) / 0.4) ** 2 + ((ry + 3.4) / 0.4) ** 2) - bell((ax / 0.3) ** 2 + ((ry + 3.4) / 0.4) ** 2));
  p.z -= 0.1 * h.philtrum * bell((ax / 0.35) ** 2 + ((ry + 2.8) / 0.5) ** 2);
}

/** The canonical lips stand a little apart: this closes them. */
function closedLips(p: Point): void {
  const { restY: ry, restZ: rz, ax } = p;
  const gap = ry + 4.27;
  p.y -= 0.3 * clamp(gap / 0.24, -1, 1) * bell((gap / 0.62) ** 2) * smoothstep(2.3, 1.5, ax) * smoothstep(3.6, 4.4, rz);
}

/** Proportions of the lower face, jaw and chin. */
function lowerFace(p: Point, h: Handles): void {
  const { restY: ry, ax, side } = p;
  p.y -= 0.36 * h.noseLength * smoothstep(3.2, -1.2, ry);
  p.y -= 0.3 * h.midfaceLength * smoothstep(-1.6, -3.1, ry);
  p.y -= 0.5 * h.chinLength * smoothstep(-5.4, -9.2, ry);
  p.x *= 1 + clamp(0.062 * h.jawWidth, -0.17, 0.2) * smoothstep(-0.5, -6, ry);
  p.x *= 1 + clamp(0.12 * h.chinWidth, -0.3, 0.36) * smoothstep(-6.6, -9, ry);
  const corner = bell(((ax - 6.4) / 1.3) ** 2 + ((ry + 5.2) / 1.6) ** 2);
  p.x += side * 0.3 * h.jawAngle * corner;
  p.y -= 0.22 * h.jawAngle * corner;
  p.z += 0.42 * h.chinForward * bell((ax / 2.6) ** 2 + ((ry + 8.5) / 1.6) ** 2);
  p.z -= 0.16 * h.chinCleft * bell((ax / 0.35) ** 2 + ((ry + 8.2) / 0.7) ** 2);
}

function ripple(p: Point, ripples: readonly Ripple[]): void {
  for (const bump of ripples) {
    const dx = bump.side === 0 ? p.ax - bump.x : p.restX - bump.side * bump.x;
    const distance = dx * dx + (p.restY - bump.y) ** 2 + (p.restZ - bump.z) ** 2;
    const weight = bell(distance / bump.sigma ** 2);
    const mirrored = bump.side === 0 ? clamp(p.restX / 0.8, -1, 1) : 1;
    p.x += bump.dx * weight * mirrored;
    p.y += bump.dy * weight;
    p.z += bump.dz * weight;
  }
}

/** Bumps move the eyes of wide people as a whole, so that no eye is closed. */
function rippleSparingEyes(p: Point, ripples: readonly Ripple[]): void {
  const whole = 0.92 * bell((((p.ax - eye.x) / 1.5) ** 2 + ((p.restY - eye.y) / 0.9) ** 2) ** 2);
  if (whole <= 0.01) {
    ripple(p, ripples);
    return;
  }
  const own: Point = { ...p, x: 0, y: 0, z: 0 };
  const centre: Point = { ...own, restX: p.side * eye.x, restY: eye.y, restZ: eye.z, ax: eye.x };
  ripple(own, ripples);
  ripple(centre, ripples);
  p.x += lerp(own.x, centre.x, whole);
  p.y += lerp(own.y, centre.y, whole);
  p.z += lerp(own.z, centre.z, whole);
}

/**
 * The canonical face deformed into one person, at rest.
 *
 * @returns Float32Array[468 × 3] in canonical units
 */
export function shapeFace(traits: Traits): Float32Array {
  const rest = canonicalFace().positions;
  const out = Float32Array.from(rest);
  const h = traits.shape;
  const ripples = ripplesOf(traits);
  const bend = isWide(traits.seed) ? rippleSparingEyes : ripple;
  for (let i = 0; i < canonicalVertexCount; i++) {
    const [x, y, z] = [rest[i * 3] ?? 0, rest[i * 3 + 1] ?? 0, rest[i * 3 + 2] ?? 0];
    const p: Point = { vertex: i, restX: x, restY: y, restZ: z, ax: Math.abs(x), side: x < 0 ? -1 : 1, x, y, z };
    eyes(p, h);
    browsAndForehead(p, h);
    cheeks(p, h);
    nose(p, h);
    mouth(p, h);
    closedLips(p);
    lowerFace(p, h);
    bend(p, ripples);
    out[i * 3] = p.x * (1 + clamp(0.05 * h.faceWidth, -0.13, 0.15));
    out[i * 3 + 1] = p.y * (1 + clamp(0.042 * h.faceHeight, -0.11, 0.12));
    out[i * 3 + 2] = (p.z - 1) * (1 + 0.05 * h.faceDepth) + 1;
  }
  return out;
}
