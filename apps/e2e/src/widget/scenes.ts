import { type HeadOptions, identitySeed, type RenderedImage, renderHead, renderScene } from '@svc/synthetic-faces';
import { encodeJpeg } from '@svc/synthetic-faces/node';

const frame = { width: 640, height: 480 };
/** The person before the camera. */
export const guestSeed = identitySeed(7);
const head = { seed: guestSeed, distance: 1.25, noiseSeed: 7 };
const guest = (more: Partial<HeadOptions> = {}) => renderHead({ ...frame, ...head, ...more });

/** Maps every value of a picture by a curve, for a dark room or a window behind the camera. */
function withCurve(image: RenderedImage, curve: (value: number) => number): RenderedImage {
  return {
    ...image,
    data: image.data.map((value, i) => (i % 4 === 3 ? value : Math.max(0, Math.min(255, curve(value))))),
  };
}

/** Scenes for a guest's camera. */
export const scenes = {
  good: () => guest(),
  nobody: () => renderScene({ ...frame, heads: [] }),
  'two people': () =>
    renderScene({
      ...frame,
      heads: [
        { ...head, centreX: 0.3 },
        { ...head, seed: identitySeed(3), centreX: 0.72 },
      ],
    }),
  'far away': () => guest({ distance: 2.2 }),
  'too near': () => guest({ distance: 0.55 }),
  'at the edge': () => guest({ centreX: 0.85, distance: 1.6 }),
  'turned away': () => guest({ yawDeg: 28 }),
  dark: () => withCurve(guest(), (value) => value * 0.15),
  'in the dark': () => withCurve(guest(), (value) => value * 0.02),
  glaring: () => withCurve(guest(), (value) => value * 2.6),
} satisfies Readonly<Record<string, () => RenderedImage>>;
export type SceneName = keyof typeof scenes;

/** In the fake camera's format. */
export async function sceneJpeg(name: SceneName): Promise<string> {
  return Buffer.from(await encodeJpeg(scenes[name](), 95)).toString('base64');
}
