import { describeFailure, enrolPhoto, wipeEnrolments } from '@svc/benchmarks/research/recognition/enrolment';
import type { Command } from 'commander';
import { CliError, exitCodes } from '../cli-error.ts';
import { withEngine } from '../engine.ts';
import { print, printJson } from '../output.ts';
import { fromInvocation, requireFile } from '../paths.ts';
import { type EngineOption, engineOption, type FaceOption, faceOption } from './options.ts';

/** What `compare` prints with `--json`. */
interface Comparison {
  readonly engineId: string;
  /** Cosine, -1..1. */
  readonly score: number;
  readonly threshold: number;
  readonly verdict: 'same' | 'different';
}

async function compare(a: string, b: string, options: FaceOption & EngineOption): Promise<Comparison> {
  const paths = [a, b].map(fromInvocation);
  for (const path of paths) await requireFile(path);
  return withEngine(
    async ({ engine }) => {
      const enrolments = [];
      try {
        for (const path of paths) {
          const enrolment = await enrolPhoto(engine, path, options.face);
          enrolments.push(enrolment);
          if (!enrolment.ok) throw new CliError(`${path}: ${describeFailure(enrolment)}`);
        }
        const [left, right] = enrolments.flatMap((enrolment) => (enrolment.ok ? [enrolment.reference] : []));
        if (!left || !right) throw new CliError('compare takes two photos');
        const score = engine.core.cosine(left, right);
        const verdict = score >= engine.matchThreshold ? 'same' : 'different';
        return { engineId: engine.engineId, score, threshold: engine.matchThreshold, verdict };
      } finally {
        wipeEnrolments(enrolments);
      }
    },
    { engineId: options.engine, passiveModel: null },
  );
}

export function registerCompare(program: Command): void {
  program
    .command('compare')
    .summary('do two photos show the same person?')
    .description('Enrols both photos and compares them. Exit code 0: same person, 1: different people.')
    .argument('<a>', 'photo (JPEG, PNG or PGM)')
    .argument('<b>', 'photo')
    .addOption(faceOption())
    .addOption(engineOption())
    .option('--json', 'print JSON')
    .action(async (a: string, b: string, options: FaceOption & EngineOption & { json?: true }) => {
      const comparison = await compare(a, b, options);
      if (options.json) printJson(comparison);
      else {
        print(`score      ${comparison.score.toFixed(4)}`);
        print(`threshold  ${comparison.threshold.toFixed(4)}`);
        print(`verdict    ${comparison.verdict}`);
      }
      if (comparison.verdict === 'different') process.exitCode = exitCodes.negative;
    });
}
