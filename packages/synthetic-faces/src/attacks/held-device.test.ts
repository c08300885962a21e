import { describe, expect, it } from 'vitest';
import { quantise } from '../render/compression.ts';
import { film, type Optics, opticsOf } from '../render/webcam.ts';
import { AutoCamera } from '../screen-light/auto-camera.ts';
import { displays } from '../screen-light/display.ts';
import { type LitScene, panelOf } from '../screen-light/flat-scene.ts';
import { type DeviceOptions, heldDevice } from './held-device.ts';

const optics: Optics = { ...opticsOf(1), oversampling: 3.2, blur: 0.35, vignette: 0, quality: 100 };
const size = { width: 96, height: 72 };
const [width, pixels] = [96, 96 * 72];
const device = { ...size, device: 'tablet', hold: 'far', head: { seed: 7 }, distance: 1.5, optics } as const;
const held = (over: Partial<DeviceOptions> = {}): LitScene =>
  heldDevice({ ...device, panel: panelOf(displays[0]), ...over });
const sum = (values: Float32Array): number => values.reduce((all, value) => all + value, 0);
const emitted = (over: Partial<DeviceOptions>): Float32Array => held(over).emitted ?? expect.unreachable();

describe('a held device', () => {
  it('shines within its rim, less aside, and hides and mirrors what is around it', () => {
    const [scene, edgeOn] = [held(), held({ turnDeg: 90 })];
    const [inside, beside] = [(20 * width + 48) * 3, (20 * width + 4) * 3];
    expect(scene.emitted?.[inside]).toBeGreaterThan(50);
    expect(scene.emitted?.[beside]).toBe(0);
    expect(scene.ambient[inside]).toBeLessThan((edgeOn.ambient[inside] ?? 0) / 3);
    expect(scene.ambient[beside]).toBe(edgeOn.ambient[beside]);
    expect(sum(emitted({ turnDeg: 40 })) / Math.cos((40 * Math.PI) / 180)).toBeLessThan(sum(emitted({})) * 0.95);
    const near = held({ hold: 'near', tiltDeg: 12, device: 'phone', distance: 0.85 });
    expect(near.emitted?.every((light) => light > 0)).toBe(true);
    expect(near.screen.some((light) => light > 0.03 * Math.PI)).toBe(true);
    expect(sum(held({ panel: null }).screen)).toBe(0);
  });

  it('beats with the sensor through a sharp lens only', () => {
    const close = { device: 'monitor', hold: 'near', distance: 0.3 } as const;
    const [none, soft, sharp] = [2, 1, 0.2].map((blur) => emitted({ ...close, optics: { ...optics, blur } }));
    expect(soft).toEqual(none);
    const change = none?.reduce((all, light, i) => all + Math.abs(light - (sharp?.[i] ?? 0)), 0) ?? 0;
    expect(change).toBeGreaterThan(0.02 * sum(none ?? new Float32Array(0)));
  });
});

describe('a small camera', () => {
  const flat = (light: number) => ({ ...size, data: new Float32Array(pixels * 3).fill(light) });
  const grey = (gain: number, over: Partial<Optics> = {}) =>
    film(flat(0.2), { optics: { ...optics, ...over }, noiseSeed: 1, exposure: 1, gain, balance: [1, 1, 1] });
  const spread = (values: ArrayLike<number>): number => {
    const greens = Array.from({ length: pixels }, (_, i) => values[i * 4 + 1] ?? 0);
    const mean = greens.reduce((all, value) => all + value, 0) / pixels;
    return Math.sqrt(greens.reduce((all, value) => all + (value - mean) ** 2, 0) / pixels);
  };

  it('keeps a grey a grey, noisier by the root of its gain, and darker in the corners', () => {
    expect(spread(grey(1, { shot: 0, read: 0 }).data)).toBeLessThan(0.5);
    expect(spread(grey(4).data) / spread(grey(1).data)).toBeCloseTo(2, 0);
    const { data } = grey(1, { vignette: 0.4, shot: 0, read: 0 });
    expect(data[0]).toBeLessThan((data[(36 * width + 48) * 4] ?? 0) - 20);
  });

  it('compresses: a picture changes once, and more at a low quality', () => {
    const lossOf = (quality: number): readonly number[] => {
      const image = grey(4);
      for (let i = 0; i < image.data.length; i++) image.data[i] = image.data[i - (i % 4)] ?? 0;
      return [0, 1].map(() => {
        const before = image.data.slice();
        quantise(image, quality);
        return before.reduce((all, value, i) => all + Math.abs(value - (image.data[i] ?? 0)), 0);
      });
    };
    const [[low = 0, again = 0], [high = 0]] = [lossOf(30), lossOf(95)] as const;
    expect(low).toBeGreaterThan(2 * high);
    expect(again).toBeLessThan(low / 5);
  });

  it.each([
    ['steady', undefined, 0, 1],
    ['pulsing against the shutter', { hz: 60, depth: 0.5 }, 10, 200],
  ])('shows a %s light in bands as deep as it pulses', (_what, pulse, least, most) => {
    const { data } = flat(400);
    const scene = { ...size, ambient: data, screen: data, head: data, emitted: data, ...(pulse ? { pulse } : {}) };
    const light = { ambientLux: 0, ambientColour: [1, 1, 1], screen: [0, 0, 0] } as const;
    const camera = new AutoCamera({ seed: 1, optics: { ...optics, shot: 0, read: 0 } });
    camera.settle(scene, light);
    const image = camera.take(scene, light, 0);
    const column = Array.from({ length: 72 }, (_, y) => image.data[(y * width + 48) * 4 + 1] ?? 0);
    const depth = Math.max(...column) - Math.min(...column);
    expect(depth).toBeGreaterThanOrEqual(least);
    expect(depth).toBeLessThanOrEqual(most);
  });
});
