import { launchChromium } from '@svc/benchmarks/inputs/browser';
import type { SitePart } from '@svc/device-sdk-web/testing';
import { expect, test } from '../support/browser-test.ts';
import { slowed } from '../support/page-camera.ts';
import { atDoor, startWebDoor, WITHOUT_SIMD } from './web-door.ts';

/**
 * Runs in a page or worker before its scripts: removes what Chrome 91 and Safari 15.0 do not have yet and a device
 * would miss.
 */
function forgetNewerFunctions(): void {
  const older: readonly (readonly [object | undefined, readonly string[]])[] = [
    [Array.prototype, ['at', 'findLast', 'findLastIndex', 'toSorted', 'toSpliced', 'toReversed', 'with']],
    [Object.getPrototypeOf(Uint8Array.prototype), ['at', 'findLast', 'findLastIndex', 'toSorted', 'toReversed']],
    [Uint8Array, ['fromBase64', 'fromHex']],
    [Uint8Array.prototype, ['toBase64', 'toHex']],
    [String.prototype, ['at', 'isWellFormed', 'toWellFormed']],
    [Object, ['hasOwn', 'groupBy']],
    [URL, ['canParse', 'parse']],
    [Promise, ['withResolvers', 'try']],
    [URL, ['canParse']],
    [AbortSignal, ['abort', 'any', 'timeout']],
    [Crypto.prototype, ['randomUUID']],
    [globalThis, ['structuredClone', 'scheduler']],
    [ReadableStream.prototype, [Symbol.asyncIterator as never, 'values']],
    [
      (globalThis as { HTMLVideoElement?: { prototype: object } }).HTMLVideoElement?.prototype,
      ['requestVideoFrameCallback'],
    ],
  ];
  for (const [owner, names] of older) for (const name of names) if (owner) Reflect.deleteProperty(owner, name);
}

/** The worker's script, which no init script of the page reaches, in an older browser. */
const inOlderBrowser =
  (assets: SitePart): SitePart =>
  async (path) => {
    if (!path.endsWith('/engine-worker.js')) return null;
    const file = await assets(path);
    if (file === null) return null;
    return { ...file, body: `(${forgetNewerFunctions})();${Buffer.from(file.body).toString()}` };
  };

test('a browser of 2021 without WebAssembly SIMD lets the guest in, on the scalar core and runtime', {
  tag: '@long',
}, async () => {
  const at = await startWebDoor(inOlderBrowser);
  const browser = await launchChromium(WITHOUT_SIMD);
  const page = await browser.newPage();
  const fetched: string[] = [];
  await slowed(page, 4);
  await page.addInitScript(forgetNewerFunctions);
  page.context().on('request', (request) => fetched.push(new URL(request.url()).pathname));
  const status = await at.open(page, at.device.token);
  expect(status).toMatchObject({ core: 'scalar', framesPerSecond: expect.any(Number) });
  expect(await atDoor(page, (door) => door.sync())).toMatchObject({ ok: true, people: 1 });
  const { outcome, reason, prompts } = await atDoor(page, (door) => door.visit('ticket-of-anna'));
  expect(`${outcome}/${reason}`).toBe('Match/verified');
  expect(prompts).toEqual(expect.arrayContaining(['look-at-camera', 'turn-head', 'look-back', 'finished']));
  const runtimes = fetched.filter((path) => path.includes('/tflite/'));
  expect(runtimes).toEqual(['/assets/tflite/tflite_web_api_cc.wasm', '/assets/tflite/tflite_web_api_cc.js']);
  await browser.close();
  await at.close();
});
