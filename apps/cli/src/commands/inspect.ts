import { describeFailure, type FailureReason } from '@svc/benchmarks/research/recognition/enrolment';
import type { PixelImage } from '@svc/core';
import { type Box, type FaceAnalysis, type FaceEngine, type Pose, type Quality, wipeAnalysis } from '@svc/face-engine';
import type { Command } from 'commander';
import { type LoadedEngine, withEngine } from '../engine.ts';
import { print, printJson, table } from '../output.ts';
import { fromInvocation, requireFile } from '../paths.ts';
import { readNamedPhoto } from '../recorded-frames.ts';
import { type JsonOption, type PassiveModelOption, passiveModelOption } from './options.ts';

interface InspectedFace {
  readonly box: Box;
  /** Of the detector, 0..1. */
  readonly detectionScore: number;
  /** Of the mesh, 0..1. */
  readonly faceFlag: number;
  readonly pose: Pose;
  readonly quality: Quality;
  readonly parallax: number;
  /** Live probability of this picture; null if it cannot be scored or there is no passive check. */
  readonly passive: number | null;
}

/** Output of `inspect --json`. Boxes are in pixels of the upright photo as processed. */
interface Inspection {
  readonly width: number;
  readonly height: number;
  readonly faces: readonly InspectedFace[];
  /** Number of unconfirmed detections. */
  readonly rejectedDetections: number;
  readonly passiveLiveness: string | null;
  readonly enrolment:
    | { readonly ok: true }
    | { readonly ok: false; readonly reason: FailureReason; readonly measured?: number; readonly limit?: number };
}

async function enrolmentOf(engine: FaceEngine, photo: PixelImage): Promise<Inspection['enrolment']> {
  const result = await engine.enrol(photo);
  if (!result.ok) return result;
  result.reference.fill(0);
  wipeAnalysis(result.analysis);
  return { ok: true };
}

async function inspect({ engine, passiveLiveness }: LoadedEngine, photo: PixelImage): Promise<Inspection> {
  const image = engine.open(photo);
  try {
    const detections = await engine.detect(image);
    const faces: InspectedFace[] = [];
    for (const detection of detections) {
      const face: FaceAnalysis | null = await engine.analyse(image, detection);
      if (!face) continue;
      const passive = (await passiveLiveness?.score(image, face))?.score ?? null;
      const { box, faceFlag, pose, quality, parallax } = face;
      faces.push({ box, detectionScore: detection.score, faceFlag, pose, quality, parallax, passive });
      wipeAnalysis(face);
    }
    return {
      width: image.width,
      height: image.height,
      faces: faces.sort((a, b) => b.quality.faceWidthPx - a.quality.faceWidthPx),
      rejectedDetections: detections.length - faces.length,
      passiveLiveness: passiveLiveness?.name ?? null,
      enrolment: await enrolmentOf(engine, photo),
    };
  } finally {
    image.dispose();
  }
}

function describe(inspection: Inspection): string {
  const { faces, enrolment } = inspection;
  const round = (value: number, digits = 0) => value.toFixed(digits);
  const rows = faces.map(({ box, faceFlag, pose, quality, passive }, i) => [
    String(i + 1),
    `${round(box.x)},${round(box.y)} ${round(box.width)}×${round(box.height)}`,
    `${round(pose.yawDeg)}/${round(pose.pitchDeg)}/${round(pose.rollDeg)}`,
    round(quality.interEyePx),
    round(quality.brightness, 2),
    round(quality.contrast, 2),
    round(quality.sharpness, 2),
    round(quality.coverage, 2),
    round(faceFlag, 2),
    passive === null ? '–' : round(passive, 2),
  ]);
  const head = ['face', 'box', 'yaw/pitch/roll°', 'eyes px', 'bright', 'contrast', 'sharp', 'coverage', 'flag', 'live'];
  return [
    `photo      ${inspection.width}×${inspection.height}`,
    `faces      ${faces.length}${inspection.rejectedDetections > 0 ? ` (${inspection.rejectedDetections} more detections may not be faces)` : ''}`,
    `enrolment  ${enrolment.ok ? 'ok' : `refused: ${describeFailure(enrolment)}`}`,
    `liveness   ${inspection.passiveLiveness ?? 'not installed (svc models add minifasnet)'}`,
    ...(rows.length > 0 ? ['', table([head, ...rows])] : []),
  ].join('\n');
}

export function registerInspect(program: Command): void {
  program
    .command('inspect')
    .summary('what the engine sees in a photo')
    .description('Faces, quality, pose, passive liveness, and whether the photo could be enrolled.')
    .argument('<image>', 'photo (JPEG, PNG or PGM)')
    .addOption(passiveModelOption())
    .option('--json', 'print JSON')
    .action(async (path: string, { json, passiveModel }: JsonOption & PassiveModelOption) => {
      const file = fromInvocation(path);
      await requireFile(file);
      const photo = await readNamedPhoto(file);
      const inspection = await withEngine((loaded) => inspect(loaded, photo), { passiveModel });
      photo.data.fill(0);
      if (json) printJson(inspection);
      else print(describe(inspection));
    });
}
