/** The core's bits in Node and in every browser engine. */
import { expect, test } from '@playwright/test';
import { devicePage, startTestSite } from '@svc/device-sdk-web/testing';
import { modelFiles } from '@svc/face-models';
import { openModelBundle } from '@svc/face-models/node';
import { openCoreWork } from './core-work.ts';
import { engines } from './stage.ts';

type Page = { openCoreWork: typeof openCoreWork };

test('the core computes the same bits in Node, Chromium, Firefox and WebKit', { tag: '@long' }, async () => {
  const bundle = await openModelBundle({ addOnDirectory: null });
  const models = new Map(await modelFiles(bundle, bundle.manifest));
  const page = await devicePage(new URL('./core-work.ts', import.meta.url));
  const body = (path: string) => models.get(path.slice(1)) ?? '';
  const site = await startTestSite({ parts: [page, (path) => ({ headers: {}, body: body(path) })] });
  const work = await openCoreWork(`${site.url}/`);
  const right = await work.results();
  const opened = await Promise.all(engines.map(async ({ start }) => start?.()));
  for (const engine of opened) {
    if (engine === undefined) continue;
    const tab = await engine.tab();
    await tab.open(site.url);
    const results = await tab.evaluate(async () => {
      const { openCoreWork } = globalThis as unknown as Page;
      return (await openCoreWork('/')).results();
    });
    expect(results, engine.name).toEqual(right);
  }
  for (const engine of opened) await engine?.close();
  await site.close();
});
