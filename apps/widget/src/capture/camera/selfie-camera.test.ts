import type { CameraStream } from '@svc/capture-web';
import { describe, expect, it, vi } from 'vitest';
import { CameraError, type CameraProblem, type Photo } from '../../ports.ts';
import { type Cameras, LiveCamera } from './selfie-camera.ts';

const photo: Photo = { jpeg: new Blob(['jpeg']), width: 640, height: 480 };

interface FakeCamera {
  readonly deviceId: string;
  readonly facingMode?: string;
  /** Name of the error that getUserMedia rejects with. */
  fails?: string;
}

function fakeBrowser(cameras: FakeCamera[] = [{ deviceId: 'front', facingMode: 'user' }]) {
  const on: string[] = [];
  const asked: MediaTrackConstraints[] = [];
  let unplug = (): void => undefined;
  let gate: Promise<void> = Promise.resolve();
  const port: Cameras = {
    async open(constraints, signal) {
      asked.push(constraints);
      await gate;
      if (signal.aborted) return null;
      const { deviceId, facingMode } = constraints as { deviceId?: { exact: string }; facingMode?: unknown };
      const wanted =
        deviceId === undefined ? facingModeOf(facingMode) : (camera: FakeCamera) => camera.deviceId === deviceId.exact;
      const strict = deviceId !== undefined || typeof facingMode === 'object';
      const found = cameras.find(wanted) ?? (strict ? undefined : cameras[0]);
      if (found === undefined) throw new DOMException('none', strict ? 'OverconstrainedError' : 'NotFoundError');
      if (found.fails !== undefined) throw new DOMException('no', found.fails);
      const ended = new AbortController();
      signal.addEventListener('abort', () => ended.abort());
      on.push(found.deviceId);
      unplug = () => ended.abort();
      const { deviceId: id, facingMode: facing } = found;
      return {
        media: { getVideoTracks: () => [{ getSettings: () => ({ deviceId: id, facingMode: facing }) }] },
        ended: ended.signal,
        isMuted: () => false,
        stop: () => void (on.includes(id) && on.splice(on.indexOf(id), 1)),
      } as unknown as CameraStream;
    },
    list: async () => cameras.map(({ deviceId }) => ({ deviceId, label: '' })),
  };
  return {
    port,
    on,
    asked,
    cameras,
    unplug: () => unplug(),
    /** Makes getUserMedia wait until the result is called. */
    hold() {
      let release = (): void => undefined;
      gate = new Promise((resolve) => {
        release = resolve;
      });
      return () => release();
    },
  };
}

const facingModeOf = (asked: unknown) => {
  const facing = typeof asked === 'object' && asked !== null && 'exact' in asked ? asked.exact : asked;
  return (camera: FakeCamera) => camera.facingMode === facing;
};

function fakeGuide() {
  const followed: AbortSignal[] = [];
  const guide = {
    follow: (_video: HTMLVideoElement, ended: AbortSignal) => void followed.push(ended),
    restart: vi.fn(),
    close: vi.fn(),
  };
  return { guide, followed, isFollowing: () => followed.some((ended) => !ended.aborted) };
}

class FakePage extends EventTarget {
  hidden = false;

  turn(hidden: boolean): void {
    this.hidden = hidden;
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

function setUp(cameras?: FakeCamera[]) {
  const browser = fakeBrowser(cameras);
  const eyes = fakeGuide();
  const page = new FakePage();
  const video = { play: async () => undefined, pause: vi.fn(), srcObject: null, videoWidth: 640, videoHeight: 480 };
  const problems: CameraProblem[] = [];
  const camera = new LiveCamera({
    cameras: browser.port,
    guide: eyes.guide,
    take: async () => photo,
    page: page as unknown as Document,
    onProblem: (problem) => void problems.push(problem),
  });
  return {
    browser,
    eyes,
    page,
    video,
    camera,
    problems,
    open: () => camera.open(video as unknown as HTMLVideoElement),
  };
}

describe('a selfie camera', () => {
  it('shows its picture, gives it to the guide and takes a photo, until it is closed', async () => {
    const { camera, browser, eyes, video, open } = setUp();
    await open();
    expect(browser.on).toEqual(['front']);
    expect(video).toMatchObject({ muted: true, playsInline: true });
    expect(video.srcObject).not.toBeNull();
    expect([camera.canSwitch, camera.mirrored, eyes.isFollowing()]).toEqual([false, true, true]);
    expect(await camera.take()).toBe(photo);
    expect(eyes.guide.restart).toHaveBeenCalledOnce();
    // The guest sees what was taken.
    expect(video.pause).toHaveBeenCalledOnce();
    camera.close();
    camera.close();
    expect(browser.on).toEqual([]);
    expect(video.srcObject).toBeNull();
    expect(eyes.isFollowing()).toBe(false);
    expect(eyes.guide.close).toHaveBeenCalledOnce();
    await expect(camera.take()).rejects.toThrowError(CameraError);
  });

  it.each([
    ['NotAllowedError', 'denied'],
    ['SecurityError', 'denied'],
    ['NotFoundError', 'none'],
    ['NotReadableError', 'busy'],
    ['AbortError', 'busy'],
    ['TypeError', 'failed'],
  ])('tells that %s is “%s”', async (fails, problem) => {
    const { open, browser } = setUp([{ deviceId: 'front', facingMode: 'user', fails }]);
    await expect(open()).rejects.toMatchObject({ name: 'CameraError', problem });
    expect(browser.on).toEqual([]);
  });

  it('stays off if it was closed while it opened', async () => {
    const { camera, browser, open } = setUp();
    const release = browser.hold();
    const opening = open();
    camera.close();
    release();
    await opening;
    expect(browser.on).toEqual([]);
    await expect(open()).rejects.toThrowError(CameraError);
  });

  it('reports once that it was unplugged, and is off', async () => {
    const { browser, eyes, problems, open, camera } = setUp();
    await open();
    browser.cameras.splice(0);
    browser.unplug();
    await expect.poll(() => problems).toEqual(['none']);
    expect([browser.on, eyes.isFollowing()]).toEqual([[], false]);
    await expect(camera.take()).rejects.toThrowError(CameraError);
  });

  it('is off while the page is hidden, and starts again afterwards', async () => {
    const { browser, eyes, page, open, camera } = setUp();
    await open();
    page.turn(true);
    expect([browser.on, eyes.isFollowing()]).toEqual([[], false]);
    page.turn(false);
    await expect.poll(() => [browser.on, eyes.isFollowing()]).toEqual([['front'], true]);
    camera.close();
    page.turn(true);
    page.turn(false);
    expect(browser.asked).toHaveLength(2);
  });

  it('reports nothing if the page is hidden while it opens', async () => {
    const { browser, page, problems, video, open, eyes } = setUp();
    let refuse = (_cause: Error): void => undefined;
    video.play = () =>
      new Promise((_resolve, reject) => {
        refuse = reject;
      });
    const opening = open();
    await expect.poll(() => browser.on).toEqual(['front']);
    page.turn(true);
    refuse(new DOMException('no source', 'AbortError'));
    await opening;
    expect(browser.on).toEqual([]);
    video.play = async () => undefined;
    page.turn(false);
    await expect.poll(() => [browser.on, eyes.isFollowing()]).toEqual([['front'], true]);
    expect(problems).toEqual([]);
  });

  it('reports why it does not start again', async () => {
    const { browser, page, problems, open } = setUp();
    await open();
    page.turn(true);
    const [front] = browser.cameras;
    if (front !== undefined) front.fails = 'NotReadableError';
    page.turn(false);
    await expect.poll(() => problems).toEqual(['busy']);
  });

  describe('among several', () => {
    const phone = (): FakeCamera[] => [
      { deviceId: 'front', facingMode: 'user' },
      { deviceId: 'back', facingMode: 'environment' },
    ];

    it('switches to the other side and back, with one camera on at a time', async () => {
      const { camera, browser, open } = setUp(phone());
      await open();
      expect(camera.canSwitch).toBe(true);
      await camera.switch();
      expect([browser.on, camera.mirrored]).toEqual([['back'], false]);
      // Only a camera that the guest asked for is demanded.
      const asked = browser.asked.map(({ facingMode }) => facingMode);
      expect(asked).toEqual(['user', { exact: 'environment' }]);
      await camera.switch();
      expect([browser.on, camera.mirrored]).toEqual([['front'], true]);
    });

    it('goes through cameras that do not report their side', async () => {
      const { camera, browser, open } = setUp(['a', 'b', 'c'].map((deviceId) => ({ deviceId })));
      await open();
      const seen = [...browser.on];
      for (let i = 0; i < 3; i += 1) {
        await camera.switch();
        seen.push(...browser.on);
      }
      expect(seen).toEqual(['a', 'b', 'c', 'a']);
    });

    it('stays with the former if no other opens, and fails only if none does', async () => {
      const { camera, browser, open } = setUp(phone());
      await open();
      const [front, back] = browser.cameras;
      if (back !== undefined) back.fails = 'NotReadableError';
      await camera.switch();
      expect(browser.on).toEqual(['front']);
      if (front !== undefined) front.fails = 'NotReadableError';
      await expect(camera.switch()).rejects.toMatchObject({ problem: 'busy' });
      expect(browser.on).toEqual([]);
    });
  });
});
