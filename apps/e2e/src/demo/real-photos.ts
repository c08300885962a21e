import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodePhoto } from '@svc/api/decode-photo';
import { sharedData } from '@svc/benchmarks/inputs/shared-data';
import type { PixelImage } from '@svc/core';
import type { Camera, CameraFrame } from '@svc/device-sdk';
import type { Scenario } from './scenarios.ts';

/** A published photo to enrol, and the attempts made with other photos before the camera. */
export interface RealPhotos {
  readonly enrolments: readonly { readonly personId: string; readonly file: string }[];
  readonly scenarios: readonly Scenario[];
}

/**
 * Attempts with real photos, if the public photos lie beside the repository. A photo cannot turn its head: a photo
 * of the right person must match and then fail the challenge (or the passive check), and another person's must
 * not match.
 */
export async function realPhotos(): Promise<RealPhotos | null> {
  const folder = sharedData('data', 'faces', 'whitehouse');
  if (folder === null) return null;
  const photo = (name: string) => join(folder, 'tests', 'test_images', name);
  // The enrolled photo at another size: the other photos of the person are from the side and would never be compared.
  const [heldPhoto, somebodyPhoto] = await Promise.all([
    loadPhoto(join(folder, 'examples', 'obama-480p.jpg')),
    loadPhoto(photo('biden.jpg')),
  ]);
  return {
    enrolments: [
      { personId: 'president', file: photo('obama.jpg') },
      { personId: 'vice-president', file: photo('biden.jpg') },
    ],
    scenarios: [
      {
        what: 'real: a photo of the right person, held still',
        scannedId: 'president',
        camera: () => photoCamera(heldPhoto),
        mustBe: ['ChallengeFailed', 'LivenessFailed'],
      },
      {
        what: 'real: a photo of another person',
        scannedId: 'president',
        camera: () => photoCamera(somebodyPhoto),
        mustBe: ['NoMatch', 'LivenessFailed'],
      },
    ],
  };
}

async function loadPhoto(file: string): Promise<PixelImage> {
  const photo = await decodePhoto(await readFile(file));
  if (photo === null) throw new Error('a public test photo could not be decoded');
  return photo;
}

/** The same picture for the whole window, ten times a second. */
function photoCamera(image: PixelImage): Camera {
  return {
    timing: 'recorded',
    async *frames(signal: AbortSignal): AsyncGenerator<CameraFrame> {
      for (let i = 0; i <= 110 && !signal.aborted; i++) {
        yield { image, timestampMs: i * 100 };
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    prompt() {},
  };
}
