import { createHash } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withMiniFasNet } from '@svc/benchmarks/inputs/engine';
import { photoOf, ticketOf } from '../support/guests.ts';
import { startService } from '../support/service.ts';
import { copyBuiltKiosk } from './kiosk-page.ts';

/**
 * A service that serves its own kiosk, with a list of two people.
 * @param o.addOnDirectory builds the page with these add-on models (null: none); default: the page that is already
 *   built
 * @param o.environment more settings of the API
 */
export async function startKioskService({
  addOnDirectory,
  environment = {},
}: {
  readonly addOnDirectory?: string | null;
  readonly environment?: Readonly<Record<string, string>>;
} = {}) {
  const site = await mkdtemp(join(tmpdir(), 'svc-kiosk-'));
  if (addOnDirectory === undefined) await copyBuiltKiosk(site);
  else {
    // The bundler is loaded on demand.
    const { buildKiosk } = await import('@svc/kiosk/build');
    await buildKiosk({ outDir: site, ...withMiniFasNet(addOnDirectory) });
  }
  const service = await startService({ environment: { SVC_KIOSK_DIR: site, ...environment } });
  const listId = await service.createList();
  for (const guest of ['anna', 'ben'] as const) {
    const { status } = await service.enrol(listId, ticketOf(guest), await photoOf(guest));
    if (status !== 201) throw new Error(`not enrolled: ${status}`);
  }
  return {
    ...service,
    region: service.region,
    listId,
    /** Replaces the page that is served by another version of itself. */
    changeVersion: () => changeVersion(site),
    newToken: async () => (await service.addDevice(listId)).token,
    async close() {
      await service.close();
      await rm(site, { recursive: true, force: true });
    },
  };
}

/** As a later build would: another service worker, with another hash. */
async function changeVersion(site: string): Promise<void> {
  const worker = join(site, 'sw.js');
  await appendFile(worker, '\n// another version\n');
  const sha256 = createHash('sha256')
    .update(await readFile(worker))
    .digest('base64');
  const list = join(site, 'site.json');
  const { files, ...rest } = JSON.parse(await readFile(list, 'utf8')) as { files: { path: string }[] };
  const changed = files.map((file) => (file.path === 'sw.js' ? { ...file, sha256, encodings: [] } : file));
  await writeFile(list, JSON.stringify({ ...rest, files: changed }));
}
