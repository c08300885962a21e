import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { sharedData } from '@svc/benchmarks/inputs/shared-data';
import { keepSection } from '@svc/benchmarks/research/markdown';
import { enrolAll, wipeEnrolments } from '@svc/benchmarks/research/recognition/enrolment';
import { type GalleryReport, reportGallery } from '@svc/benchmarks/research/recognition/gallery';
import { type PairsReport, reportPairs, scorePairs } from '@svc/benchmarks/research/recognition/pairs';
import { missingSets, type PhotoSetName } from '@svc/benchmarks/research/recognition/photo-sets';
import { engineRecipes, enginesIn, recipeFor } from '@svc/face-models';
import { openModelBundle } from '@svc/face-models/node';
import { type Command, Option } from 'commander';
import { CliError, exitCodes } from '../cli-error.ts';
import { describeCalibration, describeGallery, describePairs } from '../describe-evaluation.ts';
import { withEngine } from '../engine.ts';
import { print, printJson } from '../output.ts';
import { parsePairs } from '../pairs-csv.ts';
import { fromInvocation, photosIn, requireFile } from '../paths.ts';
import { type EngineOption, engineOption, type FaceOption, faceOption, rate } from './options.ts';

const reports = ['accuracy', 'calibration'] as const;

interface EvaluateOptions extends FaceOption, EngineOption {
  readonly pairs?: string;
  readonly gallery?: string;
  readonly report?: (typeof reports)[number];
  readonly data?: string;
  readonly fmr: number;
  readonly out?: string;
}

async function evaluatePairs(
  file: string,
  { face, engine: engineId }: FaceOption & EngineOption,
): Promise<PairsReport> {
  await requireFile(file);
  const pairs = parsePairs(await readFile(file, 'utf8'), file);
  const paths = pairs.flatMap(({ left, right }) => [left, right]);
  for (const path of new Set(paths)) await requireFile(path);
  return withEngine(
    async ({ engine }) => {
      const enrolments = await enrolAll(engine, paths, face);
      try {
        return reportPairs({
          engineId: engine.engineId,
          shippedThreshold: engine.matchThreshold,
          faceRule: face,
          pairs: scorePairs(engine, pairs, enrolments),
          enrolments,
          nameOf: (path) => relative(dirname(file), path),
        });
      } finally {
        wipeEnrolments(enrolments.values());
      }
    },
    { engineId, passiveModel: null },
  );
}

async function evaluateGallery(
  folder: string,
  { face, fmr, engine: engineId }: FaceOption & EngineOption & { fmr: number },
): Promise<GalleryReport> {
  const photos = await photosIn(folder);
  return withEngine(
    async ({ engine }) => {
      const enrolments = await enrolAll(engine, photos, face);
      try {
        const report = reportGallery({ engine, photos, enrolments, targetFmr: fmr, nameOf: (path) => basename(path) });
        if (!report)
          throw new CliError(
            `${folder}: too few photos could be enrolled; two odd-numbered and two even-numbered ones are needed`,
          );
        return report;
      } finally {
        wipeEnrolments(enrolments.values());
      }
    },
    { engineId, passiveModel: null },
  );
}

async function write(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((cause: unknown) => {
    throw new CliError(`${path}: cannot be written`, undefined, { cause });
  });
}

/** The folder of the photo sets: what was asked for, or the one beside the repository. @throws CliError without a set */
function photoSetsIn(asked: string | undefined, needed?: readonly PhotoSetName[]): string {
  const data = asked ?? sharedData('data') ?? '../shared/data';
  const missing = missingSets(data, needed);
  if (missing.length === 0) return data;
  throw new CliError(`${data}: lacks ${missing.join(', ')}; give the photo sets with --data`);
}

async function reportAccuracy(asked: string | undefined, out: string | undefined) {
  const data = photoSetsIn(asked);
  const { accuracyReport } = await import('@svc/benchmarks/research/recognition/report');
  const report = await withEngine(({ engine }) => accuracyReport(engine, data), { passiveModel: null });
  const former = out === undefined ? '' : await readFile(out, 'utf8').catch(() => '');
  const markdown = ['visits', 'liveness'].reduce((page, name) => keepSection(page, name, former), report.markdown);
  if (out === undefined) print(markdown);
  else {
    await write(out, markdown);
    // In the manual, organisers have a folder of their own.
    const guide = join(dirname(out), '../guide/accuracy.md');
    const beside = join(dirname(out), 'accuracy-for-organisers.md');
    await write(existsSync(guide) ? guide : beside, report.organisers(markdown));
  }
  if (!report.holds) process.exitCode = exitCodes.negative;
}

async function reportCalibration(engineId: string | undefined, asked: string | undefined, out: string | undefined) {
  if (engineId === undefined) throw new CliError('--report calibration needs --engine');
  const data = photoSetsIn(asked, ['congress', 'whitehouse', 'compreface', 'att']);
  const { manifest } = await openModelBundle();
  const recipe = recipeFor(enginesIn(manifest), engineId);
  if (recipe === undefined) {
    const missing = recipeFor(engineRecipes, engineId)?.model ?? '';
    throw new CliError(`${engineId} is not installed: npm run svc -- models add ${missing}`, exitCodes.environment);
  }
  const { calibrate } = await import('@svc/benchmarks/research/recognition/calibration');
  const report = await withEngine(({ engine }) => calibrate(engine, recipe, data), { engineId, passiveModel: null });
  if (out !== undefined) await write(out, `${JSON.stringify(report, null, 2)}\n`);
  print(describeCalibration(report));
  if (!report.holds) process.exitCode = exitCodes.negative;
}

async function evaluate(options: EvaluateOptions): Promise<void> {
  const out = options.out === undefined ? undefined : fromInvocation(options.out);
  const data = options.data === undefined ? undefined : fromInvocation(options.data);
  if (options.report === 'calibration') return reportCalibration(options.engine, data, out);
  if (options.report === 'accuracy') {
    if (options.engine !== undefined) throw new CliError('--report accuracy measures every engine: leave --engine out');
    return reportAccuracy(data, out);
  }
  let report: PairsReport | GalleryReport;
  if (options.pairs !== undefined) report = await evaluatePairs(fromInvocation(options.pairs), options);
  else if (options.gallery !== undefined) report = await evaluateGallery(fromInvocation(options.gallery), options);
  else throw new CliError('evaluate needs --pairs, --gallery or --report');
  if (out === undefined) return printJson(report);
  await write(out, `${JSON.stringify(report, null, 2)}\n`);
  print(report.kind === 'pairs' ? describePairs(report) : describeGallery(report));
}

export function registerEvaluate(program: Command): void {
  const source = ['pairs', 'gallery', 'report'];
  const exclusive = (option: Option) => option.conflicts(source.filter((other) => other !== option.attributeName()));
  program
    .command('evaluate')
    .summary('error rates over many photos')
    .description(
      'Measures the engine. Prints JSON; with --out the JSON goes to the file and a summary to the screen. Every photo is enrolled once.',
    )
    .addOption(
      exclusive(new Option('--pairs <csv>', 'list of pairs: columns left, right, same; paths relative to the list')),
    )
    .addOption(exclusive(new Option('--gallery <folder>', 'photos, one per person: all impostor pairs')))
    .addOption(
      exclusive(
        new Option(
          '--report <name>',
          'accuracy: the report of this project, in Markdown; calibration: the numbers of an engine, measured',
        ).choices(reports),
      ),
    )
    .option('--data <folder>', 'public photo sets for --report')
    .option('--fmr <rate>', 'false match rate that --gallery chooses its threshold for', rate, 1e-4)
    .addOption(faceOption())
    .addOption(engineOption())
    .option('--out <file>', 'where to write the report')
    .action(evaluate);
}
