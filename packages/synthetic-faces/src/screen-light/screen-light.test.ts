import { describe, expect, it } from 'vitest';
import { panelIlluminance } from '../render/lighting.ts';
import { AutoCamera } from './auto-camera.ts';
import { displayLight, displays } from './display.ts';
import { heldPrint, heldScreen, type LitScene, panelOf, renderLitHead } from './flat-scene.ts';

const size = { width: 80, height: 60 };
const [display] = displays;
const panel = panelOf(display);
const scene = renderLitHead({ ...size, seed: 3, panel });
const mean = (data: Float32Array, where: (pixel: number) => boolean = () => true, channel = 1): number => {
  let [sum, count] = [0, 0];
  for (let pixel = 0; pixel < data.length / 3; pixel++) {
    if (!where(pixel)) continue;
    sum += data[pixel * 3 + channel] as number;
    count++;
  }
  return sum / count;
};
const onHead = (pixel: number): boolean => scene.head[pixel] === 1;

describe('a display', () => {
  it.each(displays)('$name shows its white at its luminance and hardly anything when black', (one) => {
    const luminance = ([r, g, b]: readonly [number, number, number]): number => 0.2126 * r + 0.7152 * g + 0.0722 * b;
    expect(luminance(displayLight(one, { red: 255, green: 255, blue: 255 }))).toBeCloseTo(one.luminance, 1);
    expect(luminance(displayLight(one, null))).toBeCloseTo(one.luminance / one.contrast, 3);
  });
});

describe('a lit screen', () => {
  it('is weaker with the square of the distance, and away from its middle', () => {
    const at = (z: number, x = 0): number => panelIlluminance({ centre: [0, 0, 0], area: 350 }, x, 0, -z);
    expect(at(100) / at(50)).toBeCloseTo(0.25, 6);
    expect(at(50, 20)).toBeLessThan(at(50));
    // A tablet of 400 cd/m² at half a metre.
    expect(400 * at(50)).toBeCloseTo(56, 0);
  });

  it('lights a face far more than the wall behind it, and no bit of the scene in two ways', () => {
    const [head, wall] = [mean(scene.screen, onHead), mean(scene.screen, (pixel) => !onHead(pixel))];
    expect(head / mean(scene.ambient, onHead)).toBeGreaterThan(10 * (wall / mean(scene.ambient, (p) => !onHead(p))));
    expect(renderLitHead({ ...size, seed: 3, panel }).screen).toEqual(scene.screen);
  });
});

describe('something flat', () => {
  const light = { ambientLux: 200, ambientColour: [1, 1, 1], screen: displayLight(display, null) } as const;
  const frame = new AutoCamera({ seed: 1 }).take(scene, light, 0);
  const relative = (one: LitScene, where: (pixel: number) => boolean): number =>
    mean(one.screen, where) / mean(one.ambient, where);

  it('on paper answers alike where the face is and beside it', () => {
    const print = heldPrint({ before: scene, panel, distance: 1, frame, covers: 'all' });
    const ratio = relative(print, onHead) / relative(print, (pixel) => !onHead(pixel));
    expect(ratio).toBeGreaterThan(1);
    expect(ratio).toBeLessThan(1.6);
  });

  it('that shines answers by what it reflects: a little, and more where it mirrors the screen', () => {
    const screen = { before: scene, panel, distance: 1, frame, covers: 'all', luminance: 300, diffuse: 0.01 } as const;
    const matt = heldScreen({ ...screen, mirror: 0, tiltDeg: 0 });
    const glossy = heldScreen({ ...screen, mirror: 0.04, tiltDeg: 0 });
    const share = 400 / mean(matt.emitted ?? new Float32Array(3), onHead);
    expect(mean(matt.screen, onHead) * share).toBeLessThan(0.01);
    expect(Math.max(...glossy.screen)).toBeGreaterThan(5 * Math.max(...matt.screen));
    expect(mean(glossy.emitted as Float32Array)).toBe(mean(matt.emitted as Float32Array));
  });
});

describe('a camera with automatics', () => {
  const under = (lux: number, screen = displayLight(display, null)) =>
    ({ ambientLux: lux, ambientColour: [1, 1, 1], screen }) as const;
  const brightness = (data: Uint8Array): number => data.reduce((sum, value, i) => sum + (i % 4 === 1 ? value : 0), 0);
  const settled = (lux: number, seed = 4): AutoCamera => {
    const camera = new AutoCamera({ seed });
    camera.settle(scene, under(lux));
    return camera;
  };

  it('sees a dim and a bright room alike', () => {
    const [dim, bright] = [20, 2_000].map((lux) => brightness(settled(lux).take(scene, under(lux), 0).data));
    expect((dim as number) / (bright as number)).toBeCloseTo(1, 1);
  });

  it('follows a change of light within seconds, not at once', () => {
    const camera = settled(100);
    const before = brightness(camera.take(scene, under(100), 0).data);
    const atOnce = brightness(camera.take(scene, under(200), 1).data);
    for (let atMs = 100; atMs < 5_000; atMs += 100) camera.take(scene, under(200), atMs);
    const later = brightness(camera.take(scene, under(200), 5_000).data);
    expect(atOnce).toBeGreaterThan(1.2 * before);
    expect(later / before).toBeCloseTo(1, 1);
  });
});
