import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodePhoto } from '../../inputs/decode-photo.ts';
import { type OpenEngine, openEngine, temporaryAddOn, withMiniFasNet } from '../../inputs/engine.ts';
import { sharedData } from '../../inputs/shared-data.ts';

const samples = sharedData('models', 'minifasnet') && sharedData('data', 'spoof');
if (samples === null) console.log('skipped: no ../shared');

describe.skipIf(samples === null)('MiniFASNet on its authors’ samples', () => {
  let addOn: Awaited<ReturnType<typeof temporaryAddOn>>;
  let node: OpenEngine;

  beforeAll(async () => {
    addOn = await temporaryAddOn();
    node = await openEngine(withMiniFasNet(addOn?.directory ?? null));
  });

  afterAll(async () => {
    node.close();
    await addOn?.remove();
  });

  async function scoreOf(...path: string[]): Promise<number | null> {
    const { engine, passiveLiveness } = node;
    if (passiveLiveness === null) throw new Error('the add-on was not installed');
    const image = engine.open(await decodePhoto(join(samples ?? '', ...path)));
    try {
      const [detection] = await engine.detect(image);
      const face = detection && (await engine.analyse(image, detection));
      if (!face) throw new Error('no face');
      return await passiveLiveness.score(image, face);
    } finally {
      image.dispose();
    }
  }

  it('accepts live people', async () => {
    expect(await scoreOf('minivision', 'images', 'sample', 'image_T1.jpg')).toBeGreaterThan(0.95);
    expect(await scoreOf('vietmoney', 'data', 'test', 'true_001.jpg')).toBeGreaterThan(0.9);
    expect(await scoreOf('vietmoney', 'data', 'test', 'true_002.jpg')).toBeGreaterThan(0.9);
  });

  it('rejects a print', async () => {
    expect(await scoreOf('minivision', 'images', 'sample', 'image_F1.jpg')).toBeLessThan(0.35);
  });

  it('rejects a screen if the face fills most of the picture', async () => {
    expect(await scoreOf('minivision', 'images', 'sample', 'image_F2.jpg')).toBeLessThan(0.1);
  });

  it('gives no score without room around the face', async () => {
    expect(await scoreOf('vietmoney', 'data', 'test', 'true_003.png')).toBeNull();
  });
});
