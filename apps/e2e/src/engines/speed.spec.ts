/** The core's speed in Node and in every browser engine, side by side: see docs/browsers.md. */
import { expect, test } from '@playwright/test';
import { devicePage, startTestSite } from '@svc/device-sdk-web/testing';
import { modelFiles } from '@svc/face-models';
import { openModelBundle } from '@svc/face-models/node';
import { openCoreWork } from './core-work.ts';
import { engines } from './stage.ts';

const ROUNDS = 5;

type Work = Awaited<ReturnType<typeof openCoreWork>>;
type Page = { openCoreWork: typeof openCoreWork; work: Work };

test('the core’s speed in Node, Chromium, Firefox and WebKit', { tag: '@long' }, async () => {
  const bundle = await openModelBundle({ addOnDirectory: null });
  const models = new Map(await modelFiles(bundle, bundle.manifest));
  const page = await devicePage(new URL('./core-work.ts', import.meta.url));
  const body = (path: string) => models.get(path.slice(1)) ?? '';
  const site = await startTestSite({ parts: [page, (path) => ({ headers: {}, body: body(path) })] });
  const sides = [{ name: `Node ${process.versions.node}`, ...(await openCoreWork(`${site.url}/`)) }];
  const opened = await Promise.all(engines.map(async ({ start }) => start?.()));
  for (const engine of opened) {
    if (engine === undefined) continue;
    const tab = await engine.tab();
    await tab.open(site.url);
    await tab.evaluate(async () => {
      const scope = globalThis as unknown as Page;
      scope.work = await scope.openCoreWork('/');
    });
    sides.push({
      name: engine.name,
      results: () => tab.evaluate(() => (globalThis as unknown as Page).work.results()),
      round: () => tab.evaluate(() => (globalThis as unknown as Page).work.round()),
    });
  }
  const right = await sides[0]?.results();
  for (const side of sides) expect(await side.results(), side.name).toEqual(right);

  // The fastest round of each, which took turns: what else the machine does disturbs it least.
  const best = sides.map((): Record<string, number> => ({}));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [i, side] of sides.entries())
      for (const [work, ms] of Object.entries(await side.round()))
        Object.assign(best[i] ?? {}, { [work]: Math.min(ms, best[i]?.[work] ?? ms) });
  console.log(`| ${['Core', ...sides.map(({ name }) => name)].join(' | ')} |`);
  const figure = (work: string, ms = Number.NaN) =>
    work.endsWith('ms') ? ms.toFixed(1) : Math.round(1_000 / ms).toLocaleString('en');
  for (const work of Object.keys(best[0] ?? {}))
    console.log(`| ${[work, ...best.map((times) => figure(work, times[work]))].join(' | ')} |`);
  for (const engine of opened) await engine?.close();
  await site.close();
});
