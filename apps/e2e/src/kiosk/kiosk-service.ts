import { createHash } from 'node:crypto';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withMiniFasNet } from '@svc/benchmarks/inputs/engine';
import type { AddedDevice } from '@svc/protocol';
import { renderHead } from '@svc/synthetic-faces';
import { encodeJpeg } from '@svc/synthetic-faces/node';
import { guests } from '../demo/scenarios.ts';
import { type EnrolmentService, enrolBody, startEnrolmentService } from '../enrolment/service.ts';
import { copyBuiltKiosk } from './kiosk-page.ts';

/** A service that serves its own kiosk, with a list of two people and a device for it. */
export interface KioskService {
  readonly service: EnrolmentService;
  readonly deviceToken: string;
  /** Replaces the page that is served by another version of itself. */
  changeVersion(): Promise<void>;
  /** Adds another device to the list. @returns its token */
  addDevice(): Promise<string>;
  addTo(listId: string): Promise<AddedDevice>;
  readonly listId: string;
  /** The stored template, as a device compares with it. */
  templateOf(personId: string): Promise<Float32Array>;
  close(): Promise<void>;
}

/**
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
} = {}): Promise<KioskService> {
  const site = await mkdtemp(join(tmpdir(), 'svc-kiosk-'));
  if (addOnDirectory === undefined) await copyBuiltKiosk(site);
  else await buildPage(site, addOnDirectory);
  const service = await startEnrolmentService({ SVC_KIOSK_DIR: site, ...environment });
  const listId = await service.createList();
  for (const name of ['anna', 'ben'] as const) {
    const photo = await encodeJpeg(renderHead({ seed: guests[name], width: 960, height: 720, noiseSeed: 7 }));
    const body = enrolBody({ personId: `ticket-of-${name}`, photo });
    const answer = await service.customer.request('POST', `/v1/lists/${listId}/people`, body);
    if (answer.status !== 201) throw new Error(`not enrolled: ${answer.status}`);
  }
  const addDevice = async () => (await addTo(listId)).token;
  async function addTo(list: string): Promise<AddedDevice> {
    return (await service.customer.request<AddedDevice>('POST', `/v1/lists/${list}/devices`)).body;
  }
  return {
    service,
    changeVersion: () => changeVersion(site),
    deviceToken: await addDevice(),
    addDevice,
    addTo,
    listId,
    templateOf: (personId) => service.templateOf(listId, personId),
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

/** The bundler is loaded on demand. */
async function buildPage(outDir: string, addOnDirectory: string | null): Promise<void> {
  const { buildKiosk } = await import('@svc/kiosk/build');
  await buildKiosk({ outDir, ...withMiniFasNet(addOnDirectory) });
}
