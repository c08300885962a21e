import { compileMiniFasNet } from '../networks/minifasnet.ts';
import { minifasnetCalibration } from '../passive-model.ts';
import { readTorchCheckpoint } from '../sources/torch-checkpoint.ts';
import type { AddOn } from './add-on.ts';

const commit = 'b6d5f04ad78778917853b25c778acef6d5626d15';
const upstream = `https://raw.githubusercontent.com/minivision-ai/Silent-Face-Anti-Spoofing/${commit}`;
const weights = `${upstream}/resources/anti_spoof_models`;

/** In the order of `files` below. */
const networks = [
  { name: 'minifasnet-v2', title: 'MiniFASNet V2, scale 2.7' },
  { name: 'minifasnet-v1se', title: 'MiniFASNet V1SE, scale 4.0' },
] as const;

/**
 * Silent-Face-Anti-Spoofing by minivision-ai. The checkpoints are Python pickles; they are parsed as data and never
 * executed.
 */
export const minifasnet: AddOn = {
  name: 'minifasnet',
  purpose: 'passive liveness',
  licence: 'Apache-2.0',
  licenceFile: {
    file: 'LICENSE',
    url: `${upstream}/LICENSE`,
    bytes: 11_340,
    digest: { algorithm: 'sha256', hex: 'daf94bf1dc9cc5700fe5af2c7c0cbd1836e70d509ed78fd0bebef7432edee6fb' },
  },
  files: [
    {
      file: '2.7_80x80_MiniFASNetV2.pth',
      url: `${weights}/2.7_80x80_MiniFASNetV2.pth`,
      bytes: 1_849_453,
      digest: { algorithm: 'sha256', hex: 'a5eb02e1843f19b5386b953cc4c9f011c3f985d0ee2bb9819eea9a142099bec0' },
    },
    {
      file: '4_0_0_80x80_MiniFASNetV1SE.pth',
      url: `${weights}/4_0_0_80x80_MiniFASNetV1SE.pth`,
      bytes: 1_856_130,
      digest: { algorithm: 'sha256', hex: '84ee1d37d96894d5e82de5a57df044ef80a58be2b218b5ed7cdfd875ec2f5990' },
    },
  ],
  models: networks.map(({ name }) => name),
  passiveLiveness: minifasnetCalibration,
  compile: (contents) =>
    networks.map(({ name, title }, i) => ({
      name,
      bytes: compileMiniFasNet(readTorchCheckpoint(contents[i] ?? new Uint8Array()), title),
      inputRange: [0, 255], // black and white
      licence: 'Apache-2.0',
      origin: `${title}, minivision-ai/Silent-Face-Anti-Spoofing@${commit}`,
    })),
};
