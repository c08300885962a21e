import { join } from 'node:path';
import type { Claim } from '../markdown.ts';
import type { ComparingEngine, Enrolments } from './enrolment.ts';
import { photoSets, readLabels } from './photo-sets.ts';

const leastPairs = 8;

/** Paths of one person's photos. All are different: crops and scaled copies of a photo would improve the figures. */
export type PersonPhotos = readonly string[];

const inFolder = (folder: string, files: readonly string[]): PersonPhotos => files.map((file) => join(folder, file));

/** Three people in ordinary colour photos. */
export async function colourPeople(data: string): Promise<PersonPhotos[]> {
  const compreface = join(data, photoSets.compreface.folder);
  const labels = await readLabels(data);
  const labelled = (person: string) =>
    inFolder(
      join(compreface, 'labelled'),
      labels.filter((label) => label.person === person).map(({ file }) => file),
    );
  return [
    inFolder(join(data, photoSets.whitehouse.folder, 'tests', 'test_images'), [
      'obama.jpg',
      'obama2.jpg',
      'obama3.jpg',
    ]),
    labelled('A'),
    labelled('B'),
  ];
}

/** What is claimed of the pairs of different photos of one person, and their scores. */
export interface GenuineFigures {
  readonly scores: readonly number[];
  readonly claim: Claim;
}

export function genuineFigures(
  engine: ComparingEngine,
  people: readonly PersonPhotos[],
  enrolments: Enrolments,
  threshold: number,
): GenuineFigures {
  const scores = people.flatMap((files) => {
    const references = files.flatMap((path) => {
      const enrolment = enrolments.get(path);
      return enrolment?.ok ? [enrolment.reference] : [];
    });
    return references.flatMap((left, i) => references.slice(i + 1).map((right) => engine.core.cosine(left, right)));
  });
  const lowest = Math.min(...scores);
  return {
    scores,
    claim: {
      claim: 'all pairs of one person match (White House, CompreFace), threshold from odd portraits',
      holds: scores.length >= leastPairs && lowest >= threshold,
      measured: `${scores.filter((score) => score >= threshold).length} of ${scores.length}, lowest ${lowest.toFixed(4)}`,
    },
  };
}
