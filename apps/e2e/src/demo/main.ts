/**
 * Enrols, syncs and verifies in one run, on free ports and in a temporary folder. Prints actual and expected results
 * and exits non-zero if they differ.
 */
import { temporaryAddOn } from '@svc/benchmarks/inputs/engine';
import { createNodeCheckInDevice } from '@svc/device-sdk-node';
import { addOnNames } from '@svc/face-models/node';
import { encodeJpeg, renderHead } from '@svc/synthetic-faces';
import { guests, photoOf, ticketOf } from '../support/guests.ts';
import { cameraOf, scenariosFor } from '../support/scenarios.ts';
import { startService, withPostgres } from '../support/service.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);
let isRight = true;

/** Prints rows as aligned columns under a heading; “ok” or “WRONG” says whether a row is as it must be. */
function table(heading: readonly string[], rows: readonly (readonly (string | boolean)[])[]): void {
  const cells = [heading, ...rows.map((row) => row.map((cell) => (cell === true ? 'ok' : cell || 'WRONG')))];
  const widths = heading.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  for (const row of cells)
    say(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  say('');
  isRight &&= !rows.some((row) => row.includes(false));
}

await withPostgres(async () => {
  const addOn = await temporaryAddOn(addOnNames);
  if (addOn === null)
    say('add-ons: skipped: no ../shared; the built-in recognition serves, and the device is told that staff watch');
  const service = await startService({ environment: addOn === null ? {} : { SVC_MODELS_DIR: addOn.directory } });
  const listId = await service.createList({ name: 'Demo', ongoing: true });
  say(`service: ${service.url}\n`);

  const enrolments = [];
  const tooSmall = await encodeJpeg(renderHead({ seed: guests.anna, width: 64, height: 48 }));
  for (const [personId, photo, mustBe] of [
    ...(await Promise.all(
      (['anna', 'ben'] as const).map(async (guest) => [ticketOf(guest), await photoOf(guest), '201'] as const),
    )),
    ['nobody', tooSmall, '422 face-too-small'] as const,
  ]) {
    const { status, body } = await service.enrol(listId, personId, photo);
    const answer = [status, body.code].filter(Boolean).join(' ');
    enrolments.push([personId, answer, mustBe, answer === mustBe]);
  }
  table(['enrolment', 'answer', 'must be', ''], enrolments);

  const device = await createNodeCheckInDevice({
    deviceToken: (await service.addDevice(listId)).token,
    region: service.region,
    directory: `${service.api.config.dataDirectory}/device`,
    ...(addOn === null ? { passiveLiveness: 'absent-staff-in-view' } : { addOnDirectory: addOn.directory }),
  });
  const { ok } = await device.syncAsync();
  const { people, protections } = device.status();
  say(`device: synced ${ok}, ${people} people, passive liveness ${protections.passive}\n`);
  isRight &&= ok;
  const attempts = [];
  for (const { what, scannedId, visitor, mustBe } of scenariosFor(addOn !== null)) {
    const { outcome, reason, timings } = await device.verifyLiveAsync(scannedId, cameraOf(visitor));
    attempts.push([what, outcome, reason, mustBe.join(' or '), mustBe.includes(outcome), timings.totalMs.toFixed(0)]);
  }
  table(['at the door', 'result', 'reason', 'must be', '', 'ms'], attempts);
  await device.dispose();
  await service.close();
  await addOn?.remove();
});
say(isRight ? 'everything as it must be' : 'NOT as it must be: see the rows marked WRONG');
process.exitCode = isRight ? 0 : 1;
