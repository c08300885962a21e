import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { minifasnetCalibration } from '../passive-calibration.ts';
import { temporaryDirectory } from '../testing/folders.ts';
import { untrainedPresenceCheckpoint } from '../testing/untrained-presence.ts';
import { presenceInManifest, readPresenceSource } from './presence-models.ts';

const presenceState = untrainedPresenceCheckpoint();
const calibration = { ...minifasnetCalibration, id: 'presence/1', model: 'presence' };
const fused = { ...minifasnetCalibration, id: 'presence-minifasnet/1', model: 'presence-minifasnet', weight: 0.4 };
const sha256 = createHash('sha256').update(presenceState).digest('hex');
const good = { seed: 7, enabled: true, calibration, fused, sha256 };
const sourceOf = (settings: unknown) => ({ presenceState, presenceSettings: Buffer.from(JSON.stringify(settings)) });

describe('what training left', () => {
  it('is read from its folder', async () => {
    const folder = await temporaryDirectory();
    await writeFile(join(folder, 'presence.pth'), presenceState);
    await writeFile(join(folder, 'presence.json'), JSON.stringify(good));
    expect(presenceInManifest(readPresenceSource(folder)).passiveLiveness).toEqual([calibration, fused]);
  });

  it('serves by default where it is enabled, together with the add-on before alone', () => {
    expect(presenceInManifest(sourceOf(good)).passiveDefaults).toEqual(['presence-minifasnet', 'presence']);
    expect(presenceInManifest(sourceOf({ ...good, enabled: false })).passiveDefaults).toEqual(['minifasnet']);
  });

  it.each([
    ['nothing about whether it is enabled', { ...good, enabled: undefined }],
    ['no calibration', { ...good, calibration: null }],
    ['a calibration of another model', { ...good, calibration: fused }],
    ['no calibration together with the add-on', { ...good, fused: undefined }],
    [
      'one that falls',
      {
        ...good,
        fused: {
          ...fused,
          points: [
            [0, 1],
            [1, 0],
          ],
        },
      },
    ],
    ['the hash of other weights', { ...good, sha256: sha256.replace(/^./, (c) => (c === '0' ? '1' : '0')) }],
    ['no hash', { ...good, sha256: undefined }],
  ])('is refused with %s', (_, settings) => {
    expect(() => presenceInManifest(sourceOf(settings))).toThrow(/presence\.json/);
  });
});
