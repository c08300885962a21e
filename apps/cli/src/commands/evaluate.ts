import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, relative } from 'node:path';
import { type Command, Option } from 'commander';
import { CliError, exitCodes } from '../cli-error.ts';
import { withEngine } from '../engine.ts';
import { describeGallery, describePairs } from '../evaluation/describe.ts';
import { enrolAll, wipeEnrolments } from '../evaluation/enrolment.ts';
import { type GalleryReport, reportGallery } from '../evaluation/evaluate-gallery.ts';
import { type PairsReport, reportPairs, scorePairs } from '../evaluation/evaluate-pairs.ts';
import { parsePairs } from '../evaluation/pairs-csv.ts';
import { print, printJson } from '../output.ts';
import { fromInvocation, photosIn, requireFile } from '../paths.ts';
import { type EngineOption, engineOption, type FaceOption, faceOption, rate } from './options.ts';

interface EvaluateOptions extends FaceOption, EngineOption {
  readonly pairs?: string;
  readonly gallery?: string;
  readonly report?: 'accuracy';
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
            `${folder}: too few photos could be enrolled; two odd- and two even-numbered ones are needed`,
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

async function evaluate(options: EvaluateOptions): Promise<void> {
  const out = options.out === undefined ? undefined : fromInvocation(options.out);
  if (options.report) {
    const { accuracyReport } = await import('../accuracy/report.ts');
    const { keepLivenessSection } = await import('../accuracy/liveness-section.ts');
    const { markdown, holds } = await accuracyReport(
      options.data === undefined ? undefined : fromInvocation(options.data),
    );
    if (out === undefined) print(markdown);
    else await write(out, keepLivenessSection(markdown, await readFile(out, 'utf8').catch(() => '')));
    if (!holds) process.exitCode = exitCodes.negative;
    return;
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
    .addOption(exclusive(new Option('--gallery <folder>', 'photos, one a person: all impostor pairs')))
    .addOption(
      exclusive(
        new Option('--report <name>', 'the accuracy report of this project, in Markdown').choices(['accuracy']),
      ),
    )
    .option('--data <folder>', 'public photo sets for --report')
    .option('--fmr <rate>', 'false match rate that --gallery chooses its threshold for', rate, 1e-4)
    .addOption(faceOption())
    .addOption(engineOption().conflicts(['report']))
    .option('--out <file>', 'where to write the report')
    .action(evaluate);
}
