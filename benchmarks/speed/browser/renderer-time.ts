import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';

/**
 * Processor time of the browser's renderers: of pages and their workers, all threads. Linux tells it to the nanosecond, for threads that wait.
 * @returns milliseconds; null where it can't be told
 */
export async function rendererTime(browser: Browser): Promise<() => Promise<number | null>> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const folders = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => join('/proc', String(id), 'task'));
  const ofThread = async (folder: string): Promise<number> =>
    // A thread may have ended meanwhile.
    Number((await readFile(join(folder, 'schedstat'), 'utf8').catch(() => '0')).split(' ')[0]);
  return async () => {
    try {
      const threads = await Promise.all(
        folders.map(async (folder) => (await readdir(folder)).map((thread) => join(folder, thread))),
      );
      const times = await Promise.all(threads.flat().map(ofThread));
      const total = times.reduce((sum, time) => sum + time, 0);
      return total > 0 ? total / 1e6 : null;
    } catch {
      return null;
    }
  };
}
