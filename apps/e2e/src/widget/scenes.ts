import { encodeJpeg, identitySeed, type RenderedImage, renderHead, renderScene } from '@svc/synthetic-faces';

const frame = { width: 640, height: 480 };
/** The person before the camera. */
export const guestSeed = identitySeed(7);
const head = { seed: guestSeed, distance: 1.25, noiseSeed: 7 };

/** Scenes for a guest's camera. */
const scenes = {
  good: () => renderHead({ ...frame, ...head }),
  nobody: () => renderScene({ ...frame, heads: [] }),
} satisfies Readonly<Record<string, () => RenderedImage>>;

/** In the fake camera's format. */
export async function sceneJpeg(name: keyof typeof scenes): Promise<string> {
  return Buffer.from(await encodeJpeg(scenes[name](), 95)).toString('base64');
}
