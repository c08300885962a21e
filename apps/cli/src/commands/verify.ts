import { describeFailure, enrolPhoto, wipeEnrolments } from '@svc/benchmarks/research/recognition/enrolment';
import type { TurnDirection, Verdict, VerificationResult } from '@svc/device-sdk';
import { webClock, webTimers } from '@svc/device-sdk/adapters';
import { protectionsOf, runAttempt, type WatchedFrame } from '@svc/device-sdk/evaluation';
import { createRecordedCamera } from '@svc/device-sdk-node';
import { type Command, Option } from 'commander';
import { CliError, exitCodes } from '../cli-error.ts';
import { withEngine } from '../engine.ts';
import { print, printJson } from '../output.ts';
import { fromInvocation, photosIn, requireFile } from '../paths.ts';
import { recordedFrames } from '../recorded-frames.ts';
import { frameLine } from './liveness.ts';
import { type PassiveModelOption, passiveMissing, passiveModelOption, positiveNumber } from './options.ts';

interface VerifyOptions extends PassiveModelOption {
  readonly reference: string;
  readonly frames: string;
  readonly fps: number;
  readonly direction: TurnDirection;
  readonly staffInView?: true;
  readonly trace?: true;
}

type AttemptResult = Verdict & Pick<VerificationResult, 'protections' | 'timings' | 'counts'>;

async function verify(options: VerifyOptions): Promise<AttemptResult> {
  const reference = fromInvocation(options.reference);
  await requireFile(reference);
  const frames = await photosIn(fromInvocation(options.frames));
  return withEngine(
    async ({ engine, passiveLiveness }) => {
      if (!passiveLiveness && !options.staffInView) throw passiveMissing();
      const enrolment = await enrolPhoto(engine, reference, 'one');
      if (!enrolment.ok) throw new CliError(`${reference}: ${describeFailure(enrolment)}`);
      let failure: unknown;
      let shown = '';
      const camera = createRecordedCamera(async function* () {
        try {
          for await (const { name, image, timestampMs: tMs } of recordedFrames(frames, options.fps)) {
            shown = name;
            yield { image, tMs };
          }
        } catch (error) {
          failure = error;
          throw error;
        }
      });
      const onFrame = (seen: WatchedFrame) => print(JSON.stringify(frameLine(shown, seen)));
      try {
        const { verdict, light, timings, counts } = await runAttempt({
          engine,
          passiveLiveness,
          reference: enrolment.reference,
          engineId: engine.engineId,
          matchThreshold: engine.matchThreshold,
          direction: options.direction,
          camera,
          clock: webClock,
          timers: webTimers,
          ...(options.trace ? { onFrame } : {}),
        });
        // An unreadable photo ends the command, not the attempt.
        if (failure instanceof CliError) throw failure;
        return { ...verdict, protections: protectionsOf(passiveLiveness, light), timings, counts };
      } finally {
        wipeEnrolments([enrolment]);
      }
    },
    { passiveModel: options.staffInView ? null : options.passiveModel },
  );
}

export function registerVerify(program: Command): void {
  program
    .command('verify')
    .summary('a complete verification of recorded frames')
    .description(
      'Runs the state machine of the device on recorded frames, in their own time, and prints its result as JSON. Exit code 0: Match, 1: any other outcome.',
    )
    .requiredOption('--reference <image>', 'photo of the person who is expected')
    .requiredOption('--frames <folder>', 'frames (JPEG, PNG or PGM), in name order')
    .requiredOption('--fps <rate>', 'frames per second', positiveNumber)
    .addOption(
      new Option('--direction <side>', "which way the person was asked to turn, from the person's own point of view")
        .choices(['left', 'right'])
        .makeOptionMandatory(),
    )
    .addOption(passiveModelOption())
    .option('--staff-in-view', 'verify without passive liveness, like a device that staff watch')
    .option('--trace', 'first print a JSON line per frame, with scores, like `svc liveness`')
    .action(async (options: VerifyOptions) => {
      const result = await verify(options);
      printJson(result);
      if (result.outcome !== 'Match') process.exitCode = exitCodes.negative;
    });
}
