import { expect, it } from 'vitest';
import { inChromium } from '../testing/in-chromium.ts';
import { createVideoCamera, screenCandela } from './video-camera.ts';

const args = ['--use-fake-device-for-media-stream'];

inChromium(
  'the camera in Chromium',
  ({ open }) => {
    it('gives frames of their own, each later than the last, and is off when the attempt is over', async () => {
      const page = await open(['camera']);
      const seen = await page.evaluate(async () => {
        const { video, camera, next, stop } = svcPage.openCamera();
        const frames = [await next(), await next(), await next()];
        const track = (video.srcObject as MediaStream).getVideoTracks()[0];
        const shown = { muted: video.muted, inline: video.playsInline };
        await stop();
        const end = await next();
        const [first, second] = frames.map((frame) => frame?.image);
        const again = camera.frames(new AbortController().signal)[Symbol.asyncIterator]();
        const restarted = (await again.next()).value?.image.width;
        await again.return?.();
        return {
          size: [first?.width, first?.height, first?.channels, first?.data.length],
          buffers: first?.data.buffer === second?.data.buffer,
          inOrder: frames.every((frame, i) => i === 0 || (frame?.timestampMs ?? 0) > (frames[i - 1]?.timestampMs ?? 0)),
          shown,
          end,
          track: track?.readyState,
          left: video.srcObject,
          restarted,
        };
      });
      expect(seen).toEqual({
        size: [640, 480, 4, 640 * 480 * 4],
        buffers: false,
        inOrder: true,
        shown: { muted: true, inline: true },
        end: null,
        track: 'ended',
        left: null,
        restarted: 640,
      });
      expect(await page.evaluate(() => svcPage.listWebCameras())).not.toEqual([]);
    });

    it('says once it is open whether the browser takes it for a device, and for none that a program draws', async () => {
      const page = await open(['camera']);
      const origins = await page.evaluate(async () => {
        const originOf = async (label: string) => {
          Object.defineProperty(MediaStreamTrack.prototype, 'label', { configurable: true, get: () => label });
          const { camera, next, stop } = svcPage.openCamera();
          const before = camera.origin;
          await next();
          const origin = camera.origin;
          await stop();
          return [before, origin, camera.origin].join();
        };
        const real = [];
        for (const name of ['FaceTime HD Camera', 'camera2 1, facing front', 'Sony DVCAM'])
          real.push(await originOf(name));
        const names = [
          'fake_device_0',
          'OBS Virtual Camera',
          'XSplit VCam',
          'DroidCam Source 3',
          'Dummy video device (0x0000)',
          '',
        ];
        const drawn = [];
        for (const name of names) drawn.push(await originOf(name));
        svcPage.fakeCamera((context) => context.fillRect(0, 0, 64, 48));
        return { real, drawn, canvas: await originOf('FaceTime HD Camera') };
      });
      const [device, unknown] = ['device,device,device', 'device,unknown,device'];
      expect(origins).toEqual({
        real: [device, device, device],
        drawn: origins.drawn.map(() => unknown),
        canvas: unknown,
      });
      expect(origins.drawn).toHaveLength(6);
    });

    it('says so of the attempt that runs, though the one before ends later', async () => {
      const page = await open(['camera']);
      const origins = await page.evaluate(async () => {
        let label = 'FaceTime HD Camera';
        Object.defineProperty(MediaStreamTrack.prototype, 'label', { configurable: true, get: () => label });
        const { camera, next, stop } = svcPage.openCamera();
        await next();
        label = 'OBS Virtual Camera';
        const drawn = camera.frames(new AbortController().signal)[Symbol.asyncIterator]();
        await drawn.next();
        await stop();
        const later = camera.origin;
        await drawn.return?.();
        return [later, camera.origin];
      });
      expect(origins).toEqual(['unknown', 'device']);
    });

    it('reports that the person denied it', async () => {
      const page = await open([]);
      expect(await page.evaluate(() => svcPage.nameOf(() => svcPage.openCamera().next()))).toBe('NotAllowedError');
    });

    it('never mirrors, whatever the element does', async () => {
      const page = await open([]);
      const pixels = await page.evaluate(async () => {
        svcPage.fakeCamera((context) => {
          context.fillStyle = 'red';
          context.fillRect(0, 0, 32, 48);
          context.fillStyle = 'blue';
          context.fillRect(32, 0, 32, 48);
        });
        const { video, next, stop } = svcPage.openCamera();
        video.style.transform = 'scaleX(-1)';
        const image = (await next())?.image;
        await stop();
        const at = (x: number) => [...(image?.data.slice((24 * 64 + x) * 4, (24 * 64 + x) * 4 + 3) ?? [])];
        return { left: at(8), right: at(56) };
      });
      expect(pixels.left[0]).toBeGreaterThan(200);
      expect(pixels.right[2]).toBeGreaterThan(200);
    });

    it('wipes a released frame', async () => {
      const page = await open(['camera']);
      const seen = await page.evaluate(async () => {
        const { next, stop } = svcPage.openCamera();
        const frame = await next();
        await stop();
        const isWiped = () => frame?.image.data.every((value) => value === 0);
        const before = isWiped();
        frame?.release?.();
        return [before, isWiped()];
      });
      expect(seen).toEqual([false, true]);
    });

    it('works without requestVideoFrameCallback', async () => {
      const page = await open(['camera']);
      const times = await page.evaluate(async () => {
        Reflect.deleteProperty(HTMLVideoElement.prototype, 'requestVideoFrameCallback');
        const { next, stop } = svcPage.openCamera();
        const frames = [await next(), await next()];
        await stop();
        return frames.map((frame) => frame?.timestampMs ?? 0);
      });
      expect(times[1]).toBeGreaterThan(times[0] ?? 0);
    });

    it('fails when it is unplugged, and when it stalls', async () => {
      const page = await open([]);
      const messages = await page.evaluate(async () => {
        const { draw } = svcPage.fakeCamera((context) => context.fillRect(0, 0, 64, 48));
        const unplugged = svcPage.openCamera();
        await unplugged.next();
        const [track] = (unplugged.video.srcObject as MediaStream).getVideoTracks();
        const waiting = svcPage.messageOf(() => unplugged.drain());
        track?.dispatchEvent(new Event('ended'));
        const first = await waiting;
        const stalled = svcPage.openCamera();
        await stalled.next();
        draw.stop();
        return [first, await svcPage.messageOf(() => stalled.drain())];
      });
      expect(messages).toEqual(['the camera stopped', 'the camera stalled']);
    });

    it('switches off a camera that comes after the attempt is over', async () => {
      const page = await open([]);
      const states = await page.evaluate(async () => {
        svcPage.fakeCamera((context) => context.fillRect(0, 0, 64, 48));
        const give = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
        let allow = () => {};
        const allowed = new Promise<void>((resolve) => {
          allow = resolve;
        });
        const given: MediaStreamTrack[] = [];
        navigator.mediaDevices.getUserMedia = async (constraints) => {
          await allowed;
          const media = await give(constraints);
          given.push(...media.getVideoTracks());
          return media;
        };
        const { next, abort } = svcPage.openCamera();
        const waiting = next();
        abort();
        const end = await waiting;
        allow();
        while (given[0]?.readyState !== 'ended') await new Promise((resolve) => setTimeout(resolve, 5));
        return { end, tracks: given.map(({ readyState }) => readyState) };
      });
      expect(states).toEqual({ end: null, tracks: ['ended'] });
    });

    it('is off after an attempt for which it had no picture, and its element free for the next', async () => {
      const page = await open([]);
      const seen = await page.evaluate(async () => {
        const { track } = new RTCPeerConnection().addTransceiver('video').receiver;
        navigator.mediaDevices.getUserMedia = async () => new MediaStream([track]);
        const { video, camera, next, stop } = svcPage.openCamera();
        const waiting = next();
        while (video.srcObject === null) await new Promise((resolve) => setTimeout(resolve, 5));
        const shown = track.readyState;
        await stop();
        const after = { end: await waiting, track: track.readyState, left: video.srcObject };
        svcPage.fakeCamera((context) => context.fillRect(0, 0, 64, 48));
        const again = camera.frames(new AbortController().signal)[Symbol.asyncIterator]();
        const width = (await again.next()).value?.image.width;
        await again.return?.();
        return { shown, after, width };
      });
      expect(seen).toEqual({ shown: 'live', after: { end: null, track: 'ended', left: null }, width: 64 });
    });

    it('leaves the element to a later attempt that took it', async () => {
      const page = await open([]);
      const seen = await page.evaluate(async () => {
        const { track } = new RTCPeerConnection().addTransceiver('video').receiver;
        navigator.mediaDevices.getUserMedia = async () => new MediaStream([track]);
        const { video, camera, next } = svcPage.openCamera();
        const first = svcPage.nameOf(next);
        while (video.srcObject === null) await new Promise((resolve) => setTimeout(resolve, 5));
        svcPage.fakeCamera((context) => context.fillRect(0, 0, 64, 48));
        const later = camera.frames(new AbortController().signal)[Symbol.asyncIterator]();
        const width = (await later.next()).value?.image.width;
        await later.return?.();
        return { first: await first, track: track.readyState, width };
      });
      expect(seen).toEqual({ first: 'AbortError', track: 'ended', width: 64 });
    });
  },
  { args },
);

it.each([
  ['a phone, 7 by 15 cm of 500 cd/m²', { width: 390, height: 844 }, 500 * 0.07 * 0.15],
  ['a tablet, 16 by 22 cm of 400 cd/m²', { width: 820, height: 1180 }, 400 * 0.16 * 0.22],
  ['a laptop, 30 by 19 cm of 250 cd/m²', { width: 1366, height: 864 }, 250 * 0.3 * 0.19],
])('tells what the screen of %s gives to a factor of 1.4', (_, screen, candela) => {
  expect(screenCandela(screen) / candela).toBeGreaterThan(1 / 1.4);
  expect(screenCandela(screen) / candela).toBeLessThan(1.4);
});

it('has a light if the page provides one', () => {
  const [video, onPrompt, showLight] = [{} as HTMLVideoElement, () => undefined, () => undefined];
  expect(createVideoCamera(video, { onPrompt, showLight, screenCandela: 5 }).light).toEqual({
    show: showLight,
    candela: 5,
  });
  expect(createVideoCamera(video, { onPrompt }).light).toBeUndefined();
});
