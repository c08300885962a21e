import type { LightColour } from '@svc/device-sdk';
import { webClock, webTimers } from '@svc/device-sdk/adapters';
import { drawLightSequence, runAttempt } from '@svc/device-sdk/evaluation';
import { minifasnetCalibration, type PassiveLiveness } from '@svc/face-engine';
import { AutoCamera, displayLight, identitySeed } from '@svc/synthetic-faces';
import { beforeAll, describe, expect, it } from 'vitest';
import { type OpenEngine, openEngine } from '../../inputs/engine.ts';
import { challengesOf, outcomeOf } from './campaign.ts';
import { type Person, renderPerson } from './person.ts';
import { SeededDraws } from './seeded-draws.ts';
import type { Kind } from './trial.ts';

/** Its evidence is in doubt, so that the light has to be the witness. */
const unsure: PassiveLiveness = {
  ...{ name: 'minifasnet', calibration: minifasnetCalibration, dispose: () => undefined },
  score: async () => ({ score: 0.95, evidence: 0.5 }),
};

/** A small part of the campaign (`npm run evaluate:light`), and one whole attempt. */
let made: OpenEngine;
let person: Person | null = null;

beforeAll(async () => {
  made = await openEngine({ addOnDirectory: null });
  person = await renderPerson(made.engine, identitySeed(3));
  return made.close;
});

describe('the light challenge on rendered light', () => {
  it.each<[Kind, number, string]>([
    ['live', 50, 'answered'],
    ['live', 2_000, 'abstained'],
    ['print', 150, 'not-answered'],
    ['injected', 400, 'not-answered'],
  ])('%s at %i lx: %s', (kind, ambientLux, outcome) => {
    if (person === null) throw new Error('the engine lost the face');
    const [verdict] = challengesOf(person, 3, kind, [ambientLux]).map((challenge) => outcomeOf(challenge).verdict);
    expect(verdict).toMatch(new RegExp(`^${outcome}`));
  });

  it.each(['staffed', 'unattended'] as const)(
    'lets in a person who answers, turns and looks back: %s',
    async (attendance) => {
      if (person === null) throw new Error('the engine lost the face');
      const { display, moments, sceneAt } = person;
      const { engine } = made;
      let colour: LightColour | null = null;
      let direction = 0;
      let yawDeg = 0;
      const automatics = new AutoCamera({ seed: 9 });
      const draws = new SeededDraws('attempt');
      const taken = (nowMs: number) => {
        const known = yawDeg === 0 ? moments.find(({ atMs }) => atMs === nowMs) : undefined;
        const scene = known?.scene ?? sceneAt(nowMs, yawDeg);
        const light = { ambientLux: 150, ambientColour: [1, 1, 1], screen: displayLight(display, colour) } as const;
        if (nowMs === 0) automatics.settle(scene, light);
        return automatics.take(scene, light, nowMs);
      };
      const enrolled = await engine.enrol(taken(0));
      if (!enrolled.ok) throw new Error(enrolled.reason);
      const report = await runAttempt({
        engine,
        passiveLiveness: unsure,
        attendance,
        reference: enrolled.reference,
        engineId: engine.engineId,
        matchThreshold: engine.matchThreshold,
        direction: 'left',
        drawLight: () => drawLightSequence(draws),
        clock: webClock,
        timers: webTimers,
        camera: {
          timing: 'recorded',
          origin: 'device',
          light: {
            show(shown) {
              colour = shown;
            },
          },
          prompt({ key }) {
            direction = key === 'turn-head' ? 31 : 0;
          },
          async *frames() {
            for (let nowMs = 0; nowMs < 10_000; nowMs += 100) {
              yawDeg += Math.max(-6, Math.min(6, direction - yawDeg));
              yield { image: taken(nowMs), timestampMs: nowMs };
            }
          },
        },
      });
      const witness = attendance === 'staffed' ? null : 'light';
      expect(report).toMatchObject({ verdict: { outcome: 'Match', reason: 'verified' }, light: 'answered', witness });
      expect(colour).toBeNull();
    },
  );
});
