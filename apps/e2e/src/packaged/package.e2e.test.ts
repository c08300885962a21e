import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { Ajv, type ValidateFunction } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { layOut } from '../../../../scripts/package/lay-out.mjs';
import { KioskPage } from '../kiosk/kiosk-page.ts';
import { Films } from '../support/page-camera.ts';
import { rightPerson } from '../support/scenarios.ts';
import { enrolWith } from './organiser.ts';
import { UnpackedRelease } from './unpacked-release.ts';

/** The published schema of the version that we write; its library brings it, to validate with. */
async function cycloneDx(): Promise<ValidateFunction> {
  const library = createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library/package.json');
  const read = async (name: string) =>
    JSON.parse(await readFile(join(dirname(library), `res/schema/${name}.SNAPSHOT.schema.json`), 'utf8')) as object;
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const name of ['spdx', 'jsf-0.82'])
    ajv.addSchema(await read(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
  return ajv.compile(await read('bom-1.6'));
}

/** The LGPL is that of the image library, which is a file of its own and can be exchanged. */
const PERMITTED = [
  ...['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'CC0-1.0', 'ISC'],
  ...['LGPL-3.0-or-later', 'MIT', 'MIT-0', 'Unlicense'],
];

/** A packed release to try, by `npm run package -- --try`; without it one is laid out. */
const packed = process.env.SVC_TEST_RELEASE;

const source = temporaryFolder();
let release: UnpackedRelease;

describe('a release', { timeout: 300_000 }, () => {
  beforeAll(async () => {
    if (packed === undefined) await layOut(source);
    release = await UnpackedRelease.unpack(packed ?? source);
  }, 300_000);

  afterAll(() => release?.remove());

  it('names every package with its licence', async () => {
    const { components } = JSON.parse(await readFile(join(release.folder, 'sbom.cdx.json'), 'utf8')) as {
      components: { type: string; name: string; licenses: { license?: { id: string }; expression?: string }[] }[];
    };
    const names = components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['express', 'knex', 'sharp', 'preact', 'react', 'face-embedding']));
    const licences = components.map(({ licenses: [one] }) => one?.license?.id ?? one?.expression ?? 'none');
    const ids = licences.flatMap((licence) => licence.split(/[() ]+|OR|AND/).filter((id) => id !== ''));
    expect(ids.filter((id) => !PERMITTED.includes(id))).toEqual([]);
    const texts = await readFile(join(release.folder, 'LICENCES.txt'), 'utf8');
    const libraries = components.flatMap(({ type, name }) => (type === 'library' ? [name] : []));
    expect([...libraries, 'postgresql'].filter((name) => !texts.includes(name))).toEqual([]);
  });

  it('has a bill of materials as CycloneDX demands it', async () => {
    const bill: unknown = JSON.parse(await readFile(join(release.folder, 'sbom.cdx.json'), 'utf8'));
    const validate = await cycloneDx();
    expect(validate(bill), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ bomFormat: 'CycloneDX', specVersion: '1.6', components: [{ name: 'without a type' }] })).toBe(
      false,
    );
  });

  it('serves as another user, and stays as it was', async () => {
    const before = await release.state();
    const running = await release.start();
    expect((await fetch(`${running.url}/healthz`)).status).toBe(200);
    for (const page of ['kiosk', 'widget', 'dashboard', 'manual'])
      expect((await fetch(`${running.url}/${page}/`)).status).toBe(200);
    const { client, listId, deviceToken } = await enrolWith(release, running.url);
    expect((await client.getPerson(listId, 'ticket-of-anna')).personId).toBe('ticket-of-anna');
    if (packed !== undefined && chromiumPath !== undefined) await visitKiosk(running.url, deviceToken);
    // It fails when one of its checks does.
    await release.svc(['doctor']);
    expect(await running.stop()).toBe(0);
    expect(await release.leftRunning()).toEqual([]);
    expect(await release.state()).toEqual(before);
  });

  it('names the setting that it needs, and is never changed', async () => {
    await expect(release.svc(['account', 'list'], { SVC_DATA_DIR: '' })).rejects.toThrow('SVC_DATA_DIR must be set');
    await expect(release.svc(['models', 'add', 'minifasnet'])).rejects.toThrow('a release contains its add-ons');
    expect(await release.svc(['--version'])).toMatch(/^\d+\.\d+\.\d+$/);
  });
});

async function visitKiosk(url: string, deviceToken: string): Promise<void> {
  const browser = await launchChromium();
  const kiosk = await KioskPage.open(await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' }), url);
  await kiosk.pair(deviceToken);
  await kiosk.press('Start check-in');
  expect((await kiosk.visit(new Films(), rightPerson)).outcome).toBe('Match');
  expect(kiosk.complaints).toEqual([]);
  await browser.close();
}
