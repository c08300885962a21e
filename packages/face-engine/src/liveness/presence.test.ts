import { describe, expect, it } from 'vitest';
import { optionsFor, saying, scorableFace, scoreOf } from '../testing/passive-fixtures.ts';
import { createPresence } from './presence.ts';

async function scoreWith(context: number, texture: number): Promise<number | null> {
  const options = await optionsFor('presence', saying('presence', [context], [texture]));
  return scoreOf(options.core, await createPresence(options));
}

describe('presence', () => {
  it.each([
    [0, 0, 0.5],
    [2, -2, 0.5],
    [Math.log(4), 0, 0.65],
    [Math.log(4), Math.log(9), 0.85],
    [-100, 900, 0.5],
    [-100, -900, 0],
    [100, 900, 1],
  ])('has the mean of both probabilities: %d and %d', async (context, texture, score) => {
    expect(await scoreWith(context, texture)).toBeCloseTo(score, 6);
  });

  it.each([
    [0, -1],
    [255, 1],
    [51, -0.6],
  ])('sees a byte of %d as %d', async (byte, value) => {
    const models = saying('presence', [0], [0]);
    const options = await optionsFor('presence', models);
    await scoreOf(options.core, await createPresence(options), scorableFace(), byte);
    expect(models.map(({ lastInput }) => lastInput.length)).toEqual([80 * 80 * 3, 80 * 80 * 3]);
    for (const { lastInput } of models) {
      expect(Math.min(...lastInput)).toBeCloseTo(value, 5);
      expect(Math.max(...lastInput)).toBeCloseTo(value, 5);
    }
  });

  it('looks at the surroundings with one network and at the face with the other', async () => {
    const models = saying('presence', [0], [0]);
    const options = await optionsFor('presence', models);
    const liveness = await createPresence(options);
    const face = scorableFace();
    // White where the face is, black around it.
    const data = new Uint8Array(640 * 480 * 3);
    for (let y = 160; y < 320; y++) data.fill(255, (y * 640 + 260) * 3, (y * 640 + 380) * 3);
    const image = options.core.image({ data, width: 640, height: 480, channels: 3 });
    await liveness.score(image, face);
    image.dispose();
    const share = models.map(({ lastInput }) => lastInput.filter((value) => value > 0).length / lastInput.length);
    // The liveness box is 1.123 times as wide and 0.966 times as high as the mesh; the frame has room for 3.1 of them upwards.
    expect(share[0]).toBeCloseTo(1 / (1.123 * 0.966 * 3.1 ** 2), 1);
    expect(share[1]).toBeCloseTo(1 / (1.123 * 0.966 * 2.7 ** 2), 1);
  });
});
