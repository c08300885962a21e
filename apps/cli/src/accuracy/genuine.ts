import { join } from 'node:path';
import type { FaceEngine } from '@svc/face-engine';
import { describeFailure, enrolAll, wipeEnrolments } from '../evaluation/enrolment.ts';
import { markdownTable } from '../output.ts';
import type { Section } from './claim.ts';
import { readLabels } from './labels.ts';
import { photoSets } from './photo-sets.ts';

const leastPairs = 8;

/** One person's photos, all different ones: crops and other sizes of one photo would flatter. */
interface PersonPhotos {
  readonly set: string;
  readonly folder: string;
  readonly files: readonly string[];
}

async function people(data: string): Promise<PersonPhotos[]> {
  const compreface = join(data, photoSets.compreface.folder);
  const labels = await readLabels(join(compreface, 'labels.csv'));
  const labelled = (person: string): PersonPhotos => ({
    set: `CompreFace, ${person}`,
    folder: join(compreface, 'labelled'),
    files: labels.filter((label) => label.person === person).map(({ file }) => file),
  });
  return [
    {
      set: 'White House',
      folder: join(data, photoSets.whitehouse.folder, 'tests', 'test_images'),
      files: ['obama.jpg', 'obama2.jpg', 'obama3.jpg'],
    },
    labelled('A'),
    labelled('B'),
  ];
}

const pairsOf = (files: readonly string[]): (readonly [string, string])[] =>
  files.flatMap((left, i) => files.slice(i + 1).map((right) => [left, right] as const));

/** The section, and the scores in it. */
export interface GenuineSection extends Section {
  readonly scores: readonly number[];
}

/** Pairs of different photos of one person, each by name. */
export async function genuineSection(engine: FaceEngine, data: string, threshold: number): Promise<GenuineSection> {
  const rows: string[][] = [];
  const refused: string[] = [];
  const scores: number[] = [];
  for (const { set, folder, files } of await people(data)) {
    const path = (file: string) => join(folder, file);
    const enrolments = await enrolAll(engine, files.map(path), 'one');
    for (const file of files) {
      const enrolment = enrolments.get(path(file));
      if (enrolment && !enrolment.ok) refused.push(`- \`${file}\` (${set}): ${describeFailure(enrolment)}`);
    }
    for (const [left, right] of pairsOf(files)) {
      const a = enrolments.get(path(left));
      const b = enrolments.get(path(right));
      if (!a?.ok || !b?.ok) continue;
      const score = engine.core.cosine(a.reference, b.reference);
      scores.push(score);
      rows.push([set, left, right, score.toFixed(4), score >= threshold ? 'above' : '**below**']);
    }
    wipeEnrolments(enrolments.values());
  }
  const lowest = Math.min(...scores);
  return {
    scores,
    claims: [
      {
        claim: `Every genuine pair of different photos of the White House and CompreFace sets whose two photos were enrolled is above the threshold, at least ${leastPairs} of them`,
        holds: scores.length >= leastPairs && lowest >= threshold,
        measured: `${scores.filter((score) => score >= threshold).length} of ${scores.length}, lowest ${lowest.toFixed(4)}`,
      },
    ],
    markdown: [
      '## Genuine pairs',
      '',
      `Against ${threshold.toFixed(4)}, the threshold chosen on the odd-numbered portraits. Only photos that were taken apart are paired.`,
      '',
      markdownTable([['set', 'photo', 'photo', 'score', 'threshold'], ...rows]),
      '',
      'Not enrolled:',
      '',
      ...(refused.length === 0 ? ['None.'] : refused),
    ].join('\n'),
  };
}
