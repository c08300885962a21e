import { join } from 'node:path';
import { markdownTable } from '../markdown.ts';
import { type ComparingEngine, describeFailure, type Enrolments } from './enrolment.ts';
import { photoSets, readLabels, type Section } from './photo-sets.ts';

const leastPairs = 8;

/** One person's photos. All are different: crops and scaled copies of a photo would improve the figures. */
export interface PersonPhotos {
  readonly set: string;
  /** Names within the set, by path. */
  readonly files: ReadonlyMap<string, string>;
}

const personPhotos = (set: string, folder: string, files: readonly string[]): PersonPhotos => ({
  set,
  files: new Map(files.map((file) => [join(folder, file), file])),
});

/** Three people in ordinary colour photos. */
export async function colourPeople(data: string): Promise<PersonPhotos[]> {
  const compreface = join(data, photoSets.compreface.folder);
  const labels = await readLabels(data);
  const labelled = (person: string) =>
    personPhotos(
      `CompreFace, ${person}`,
      join(compreface, 'labelled'),
      labels.filter((label) => label.person === person).map(({ file }) => file),
    );
  return [
    personPhotos('White House', join(data, photoSets.whitehouse.folder, 'tests', 'test_images'), [
      'obama.jpg',
      'obama2.jpg',
      'obama3.jpg',
    ]),
    labelled('A'),
    labelled('B'),
  ];
}

/** All their photos. */
export const pathsOf = (people: readonly PersonPhotos[]): string[] => people.flatMap(({ files }) => [...files.keys()]);

/** The section, and the scores in it. */
export interface GenuineSection extends Section {
  readonly scores: readonly number[];
}

/** Pairs of different photos of one person, each by name. */
export function genuineSection(
  engine: ComparingEngine,
  people: readonly PersonPhotos[],
  enrolments: Enrolments,
  threshold: number,
): GenuineSection {
  const rows: string[][] = [];
  const refused: string[] = [];
  const scores: number[] = [];
  for (const { set, files } of people) {
    const named = [...files].map(([path, file]) => ({ file, enrolment: enrolments.get(path) }));
    for (const { file, enrolment } of named) {
      if (enrolment && !enrolment.ok) refused.push(`- \`${file}\` (${set}): ${describeFailure(enrolment)}`);
    }
    for (const [i, { file: left, enrolment: a }] of named.entries()) {
      for (const { file: right, enrolment: b } of named.slice(i + 1)) {
        if (!a?.ok || !b?.ok) continue;
        const score = engine.core.cosine(a.reference, b.reference);
        scores.push(score);
        rows.push([set, left, right, score.toFixed(4), score >= threshold ? 'above' : '**below**']);
      }
    }
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
      '### Genuine pairs',
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
