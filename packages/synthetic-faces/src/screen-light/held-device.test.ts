import { describe, expect, it } from 'vitest';
import { quantise } from '../render/compression.ts';
import type { RenderedImage } from '../render/sensor.ts';
import { film, type Optics, opticsOf } from '../render/webcam.ts';
import { AutoCamera } from './auto-camera.ts';
import { displays } from './display.ts';
import { type LitScene, panelOf } from './flat-scene.ts';
import { type DeviceOptions, heldDevice } from './held-device.ts';

const optics: Optics = { ...opticsOf(1), oversampling: 3.2, blur: 0.35 };
const size = { width: 96, height: 72 };
const panel = panelOf(displays[0]);
const held = (over: Partial<DeviceOptions> = {}): LitScene =>
  heldDevice({ ...size, device: 'phone', hold: 'far', head: { seed: 7 }, distance: 1.5, panel, optics, ...over });
const sum = (values: Float32Array | null): number =>
  (values ?? new Float32Array(0)).reduce((all, value) => all + value, 0);
const at = (values: Float32Array | null, x: number, y: number): number => values?.[(y * size.width + x) * 3 + 1] ?? 0;

describe('a held device', () => {
  it('shines within its rim, and hides the room behind it', () => {
    const scene = held({ device: 'tablet' });
    const room = held({ device: 'tablet', turnDeg: 90 });
    expect(at(scene.emitted, 48, 20)).toBeGreaterThan(50);
    expect(at(scene.emitted, 4, 20)).toBe(0);
    expect(at(scene.ambient, 48, 20)).toBeLessThan(at(room.ambient, 48, 20) / 3);
    expect(at(scene.ambient, 4, 20)).toBe(at(room.ambient, 4, 20));
  });

  it('shines less aside and turned down, and fills the frame when near', () => {
    const aside = sum(held({ turnDeg: 40 }).emitted) / Math.cos((40 * Math.PI) / 180);
    expect(aside).toBeLessThan(sum(held().emitted) * 0.95);
    expect(sum(held({ brightness: 0.25 }).emitted)).toBeCloseTo(sum(held().emitted) / 2, -2);
    const near = held({ hold: 'near', distance: 0.85 });
    for (const [x, y] of [
      [0, 0],
      [95, 0],
      [0, 71],
      [95, 71],
    ] as const)
      expect(at(near.emitted, x, y)).toBeGreaterThan(1);
  });

  it('mirrors the lit screen where the angle is right, and nothing of it without one', () => {
    const brightest = (scene: LitScene): number => Math.max(...scene.screen.filter((_, i) => scene.emitted?.[i] !== 0));
    expect(brightest(held({ tiltDeg: 12, hold: 'near' }))).toBeGreaterThan(0.03 * Math.PI);
    expect(sum(held({ panel: null }).screen)).toBe(0);
  });

  it('beats with the sensor through a sharp lens only', () => {
    const through = (blur: number) =>
      held({ device: 'monitor', hold: 'near', distance: 0.3, optics: { ...optics, blur } }).emitted ??
      new Float32Array(0);
    const smooth = through(2);
    const change = (blur: number): number => {
      const grid = through(blur);
      return smooth.reduce((all, value, i) => all + Math.abs(value - (grid[i] ?? 0)), 0) / sum(smooth);
    };
    expect(change(1)).toBe(0);
    expect(change(0.2)).toBeGreaterThan(0.02);
  });

  it('shows bands where its light pulses against the shutter', () => {
    const flat = new Float32Array(96 * 72 * 3).fill(400);
    const scene = { ...size, ambient: flat, screen: flat, head: new Float32Array(0), emitted: flat };
    const light = { ambientLux: 0, ambientColour: [1, 1, 1], screen: [0, 0, 0] } as const;
    const rows = (pulse?: LitScene['pulse']): number => {
      const camera = new AutoCamera({ seed: 1, optics: { ...optics, vignette: 0, shot: 0, read: 0 } });
      const lit = { ...scene, ...(pulse === undefined ? {} : { pulse }) };
      camera.settle(lit, light);
      const { data } = camera.take(lit, light, 0);
      const column = Array.from({ length: 72 }, (_, y) => data[(y * 96 + 48) * 4 + 1] ?? 0);
      return Math.max(...column) - Math.min(...column);
    };
    expect(rows()).toBeLessThanOrEqual(1);
    expect(rows({ hz: 60, depth: 0.5 })).toBeGreaterThan(10);
  });
});

describe('a small camera', () => {
  const grey = (light: number, gain: number, over: Partial<Optics> = {}): RenderedImage => {
    const image = { ...size, data: new Float32Array(96 * 72 * 3).fill(light) };
    const camera = { ...optics, vignette: 0, quality: 100, ...over };
    return film(image, { optics: camera, noiseSeed: 1, exposure: 1, gain, balance: [1, 1, 1] });
  };
  const spread = ({ data }: RenderedImage): number => {
    const values = Array.from({ length: 96 * 72 }, (_, i) => data[i * 4 + 1] ?? 0);
    const mean = values.reduce((all, value) => all + value, 0) / values.length;
    return Math.sqrt(values.reduce((all, value) => all + (value - mean) ** 2, 0) / values.length);
  };

  it('keeps a grey a grey, noisier by the root of its gain, and darker in the corners', () => {
    expect(spread(grey(0.2, 1, { shot: 0, read: 0 }))).toBeLessThan(0.5);
    const ratio = spread(grey(0.2, 4)) / spread(grey(0.2, 1));
    expect(ratio).toBeGreaterThan(1.8);
    expect(ratio).toBeLessThan(2.2);
    const { data } = grey(0.2, 1, { vignette: 0.4, shot: 0, read: 0 });
    expect(data[0]).toBeLessThan((data[(36 * 96 + 48) * 4] ?? 0) - 20);
  });

  it('compresses: a picture changes once, more so at a low quality, and not where it is flat', () => {
    const lossOf = (quality: number): readonly number[] => {
      const image = grey(0.2, 4);
      for (let i = 0; i < image.data.length; i++) image.data[i] = image.data[i - (i % 4)] ?? 0;
      return [0, 1].map(() => {
        const before = image.data.slice();
        quantise(image, quality);
        return before.reduce((all, value, i) => all + Math.abs(value - (image.data[i] ?? 0)), 0) / before.length;
      });
    };
    const [low = 0, again = 0] = lossOf(30);
    const [high = 0] = lossOf(95);
    expect(low).toBeGreaterThan(2 * high);
    expect(again).toBeLessThan(low / 5);
  });
});
