/** Networks of integers, bit for bit in Node and in Chromium: random ones, and all that ship on rendered and real faces. */
import { createHash } from 'node:crypto';
import type { PixelImage } from '@svc/core';
import { openDigests } from '@svc/core/testing/networks';
import { bundleScript } from '@svc/device-sdk-web/testing';
import { addOnNames } from '@svc/face-models/node';
import { renderHead } from '@svc/synthetic-faces';
import { chromiumPath, launchChromium } from '../inputs/browser.ts';
import { readPhoto } from '../inputs/read-photo.ts';
import { sharedData } from '../inputs/shared-data.ts';
import { openLook } from './first-face.ts';
import type { Evaluation } from './main.ts';
import { portraitsIn } from './recognition/portraits.ts';

type Work = Parameters<Awaited<ReturnType<typeof openDigests>>>[0];
declare const script: { readonly openDigests: typeof openDigests };

/** Digests of a page, which computes one while this process does; null without Chromium. */
async function openPage(files: readonly Uint8Array[]) {
  if (chromiumPath === undefined) return null;
  const browser = await launchChromium();
  const page = await browser.newPage();
  await page.addScriptTag({ content: await bundleScript(new URL(import.meta.resolve('@svc/core/testing/networks'))) });
  const opened = await page.evaluateHandle((files) => script.openDigests(files), files);
  /** @returns what waits for the digest */
  async function begin(work: Work) {
    const begun = await opened.evaluateHandle((digestOf, work) => {
      const timer = new Promise((resolve) => setTimeout(resolve));
      return { digest: timer.then(() => digestOf(work)) };
    }, work);
    return () => begun.evaluate(({ digest }) => digest);
  }
  return { begin, close: () => browser.close() };
}

const frame = { width: 320, height: 240 } as const;
function* rendered(): Generator<PixelImage> {
  for (let seed = 1; seed < 1000; seed++)
    yield renderHead({ ...frame, seed, yawDeg: ((seed * 17) % 31) - 15, distance: 0.8 + (seed % 4) / 20 });
}

async function* photographed(): AsyncGenerator<PixelImage> {
  const data = sharedData('data');
  if (data === null) return console.error('photographed: skipped: no ../shared');
  for (const file of await portraitsIn(data)) yield readPhoto(file);
}

/** Of `networks` random networks, and of `faces` faces of either kind that every network sees. @throws Error for other bits */
export const evaluation: Evaluation = {
  options: { networks: '200000', faces: '200' },
  addOns: addOnNames,
  async run(node, { networks, faces }) {
    const files: Uint8Array[] = [];
    const runs: { plan: number; input: Float32Array }[] = [];
    const look = await openLook(node.engine.core, node.bundle, (bytes) => {
      const plan = files.push(Uint8Array.from(bytes)) - 1;
      return (input) => void runs.push({ plan, input });
    });
    const [digestOf, page] = [await openDigests(files), await openPage(files)];
    /** Of the work, each side computes half by the definition, which takes most of the time. */
    async function compared(half: (side: number) => Work): Promise<string> {
      const end = await page?.begin(half(1));
      const digest = digestOf(half(0));
      if (end !== undefined && (await end()) !== digest) throw new Error('Chromium has other bits');
      return digest;
    }
    const lines = [`${networks} random networks: ${await compared(() => Number(networks))}`];
    for (const pictures of [rendered, photographed]) {
      const hash = createHash('sha256');
      let seen = 0;
      for await (const picture of pictures()) {
        runs.length = 0;
        await look(picture, false);
        hash.update(
          await compared((side) => runs.map((run, i) => ({ ...run, isDefined: page === null || i % 2 === side }))),
        );
        for (const numbers of [picture.data, ...runs.map(({ input }) => input)]) numbers.fill(0);
        seen += Number(new Set(runs.map(({ plan }) => plan)).size === files.length);
        if (seen >= Number(faces)) break;
      }
      lines.push(`${seen} faces ${pictures.name}, ${files.length} networks: ${hash.digest('hex')}`);
    }
    await page?.close();
    return { markdown: lines.join('\n') };
  },
};
