/**
 * Enrols, syncs and verifies in one run, on free ports and in a temporary folder. Prints actual and expected results
 * and exits non-zero if they differ.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryAddOn } from '@svc/benchmarks/inputs/engine';
import type { CheckInDevice, VerificationResult } from '@svc/device-sdk';
import { createNodeCheckInDevice } from '@svc/device-sdk-node';
import { addOnNames } from '@svc/face-models/node';
import { renderHead } from '@svc/synthetic-faces';
import { encodeJpeg } from '@svc/synthetic-faces/node';
import { realPhotos } from './real-photos.ts';
import { guests, renderedScenarios, replayScenario, type Scenario } from './scenarios.ts';
import { type DemoService, startDemoService } from './service.ts';

/** Rows as aligned columns; the first row is the heading. */
function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  const [heading, ...body] = rows.map(line);
  return [heading, widths.map((width) => '─'.repeat(width)).join('  '), ...body].join('\n');
}

const say = (line: string) => process.stdout.write(`${line}\n`);

async function enrolEverybody(service: DemoService): Promise<{ rows: string[][]; scenarios: readonly Scenario[] }> {
  const rows: string[][] = [['enrolment', 'answer', 'must be', '', 'ms']];
  const enrol = async (personId: string, photo: Uint8Array, mustBe: string) => {
    const startedAtMs = performance.now();
    const answer = await service.enrol(personId, photo);
    rows.push([
      personId,
      answer,
      mustBe,
      answer === mustBe ? 'ok' : 'WRONG',
      (performance.now() - startedAtMs).toFixed(0),
    ]);
  };
  for (const name of ['anna', 'ben', 'chloe'] as const) {
    const selfie = renderHead({ seed: guests[name], width: 960, height: 720, noiseSeed: 7 });
    await enrol(name, await encodeJpeg(selfie), '201');
  }
  const real = await realPhotos();
  if (real === null) say('real photos: skipped: no ../shared');
  for (const { personId, file } of real?.enrolments ?? []) await enrol(personId, await readFile(file), '201');
  await enrol(
    'nobody',
    await encodeJpeg(renderHead({ seed: guests.anna, width: 64, height: 48 })),
    '422 face-too-small',
  );
  return { rows, scenarios: [...renderedScenarios, ...(real?.scenarios ?? [])] };
}

async function verifyEverybody(device: CheckInDevice, scenarios: readonly Scenario[]): Promise<string[][]> {
  const rows: string[][] = [['at the door', 'result', 'reason', 'must be', '', 'attempt ms', 'wall ms', 'frames']];
  for (const { what, scannedId, camera, mustBe } of scenarios) {
    const result: VerificationResult = await device.verifyLiveAsync(scannedId, camera());
    const { attemptMs, totalMs } = result.timings;
    rows.push([
      what,
      result.outcome,
      result.reason,
      mustBe.join(' or '),
      mustBe.includes(result.outcome) ? 'ok' : 'WRONG',
      attemptMs === null ? '–' : attemptMs.toFixed(0),
      totalMs.toFixed(0),
      String(result.counts.framesAnalysed),
    ]);
  }
  return rows;
}

async function demo(): Promise<boolean> {
  const addOn = await temporaryAddOn(addOnNames);
  if (addOn === null)
    say('add-ons: skipped: no ../shared; the built-in recognition serves, and the device is told that staff watch');
  const addOnDirectory = addOn?.directory ?? null;
  const service = await startDemoService(addOnDirectory);
  try {
    say(`service: ${service.url}, recognition ${await service.engineId()}`);
    const { rows: enrolments, scenarios } = await enrolEverybody(service);
    say(`\n${formatTable(enrolments)}\n`);

    const device = await createNodeCheckInDevice({
      deviceToken: await service.addDevice(),
      region: service.region,
      directory: join(service.folder, 'device'),
      ...(addOnDirectory === null ? { passiveLiveness: 'absent-staff-in-view' } : { addOnDirectory }),
    });
    try {
      const synced = await device.syncAsync();
      const { people, protections } = device.status();
      say(`device: synced ${synced.ok}, ${people} people, passive liveness ${protections.passive}`);
      const visits = addOnDirectory === null ? scenarios : [...scenarios, replayScenario];
      const attempts = synced.ok ? await verifyEverybody(device, visits) : [];
      say(`\n${formatTable(attempts)}\n`);
      return synced.ok && ![...enrolments, ...attempts].some((row) => row.includes('WRONG'));
    } finally {
      await device.dispose();
    }
  } finally {
    await service.close();
    await addOn?.remove();
  }
}

const right = await demo();
say(right ? 'everything as it must be' : 'NOT as it must be: see the rows marked WRONG');
process.exitCode = right ? 0 : 1;
