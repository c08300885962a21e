import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withMiniFasNet } from '@svc/benchmarks/inputs/engine';
import { renderHead } from '@svc/synthetic-faces';
import { encodeJpeg } from '@svc/synthetic-faces/node';
import { guests } from '../demo/scenarios.ts';
import { type EnrolmentService, enrolBody, startEnrolmentService } from '../enrolment/service.ts';
import { copyBuiltKiosk } from './kiosk-page.ts';

/** A service that serves its own kiosk, with a list of two people and a device for it. */
export interface KioskService {
  readonly service: EnrolmentService;
  /** Folder of the page that is served. */
  readonly site: string;
  readonly deviceToken: string;
  /** Adds another device to the list. @returns its token */
  addDevice(): Promise<string>;
  /** The stored template, as a device compares with it. */
  templateOf(personId: string): Promise<Float32Array>;
  close(): Promise<void>;
}

/**
 * @param o.addOnDirectory builds the page with these add-on models (null: none); default: the page that is already
 *   built
 */
export async function startKioskService({
  addOnDirectory,
}: {
  readonly addOnDirectory?: string | null;
} = {}): Promise<KioskService> {
  const site = await mkdtemp(join(tmpdir(), 'svc-kiosk-'));
  if (addOnDirectory === undefined) await copyBuiltKiosk(site);
  else await buildPage(site, addOnDirectory);
  const service = await startEnrolmentService({ SVC_KIOSK_DIR: site });
  const listId = await service.createList();
  for (const name of ['anna', 'ben'] as const) {
    const photo = await encodeJpeg(renderHead({ seed: guests[name], width: 960, height: 720, noiseSeed: 7 }));
    const body = enrolBody({ personId: `ticket-of-${name}`, photo });
    const answer = await service.customer.request('POST', `/v1/lists/${listId}/people`, body);
    if (answer.status !== 201) throw new Error(`not enrolled: ${answer.status}`);
  }
  async function addDevice(): Promise<string> {
    const added = await service.customer.request<{ token: string }>('POST', `/v1/lists/${listId}/devices`);
    return added.body.token;
  }
  return {
    service,
    site,
    deviceToken: await addDevice(),
    addDevice,
    templateOf: (personId) => service.templateOf(listId, personId),
    async close() {
      await service.close();
      await rm(site, { recursive: true, force: true });
    },
  };
}

/** The bundler is loaded on demand. */
async function buildPage(outDir: string, addOnDirectory: string | null): Promise<void> {
  const { buildKiosk } = await import('@svc/kiosk/build');
  await buildKiosk({ outDir, ...withMiniFasNet(addOnDirectory) });
}
