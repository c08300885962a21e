import { compileOpenVino } from '../networks/openvino.ts';
import { readOpenVinoIr } from '../sources/openvino-ir.ts';
import type { AddOn } from './add-on.ts';

const name = 'face-reidentification-retail-0095';
/** Release 2023.0, the last in which the files changed. */
const upstream = `https://storage.openvinotoolkit.org/repositories/open_model_zoo/2023.0/models_bin/1/${name}/FP16`;
const commit = '7ef5b91f75115a5eec5a67921453d7faaff8f78b';

/**
 * Face recognition of Intel's Open Model Zoo (MobileNetV2 with squeeze-and-excitation, 1.1 million weights). The files
 * are pinned by the SHA-384 that `models/intel/face-reidentification-retail-0095/model.yml` publishes.
 */
export const retail0095: AddOn = {
  name,
  purpose: 'recognition',
  licence: 'Apache-2.0',
  licenceFile: {
    file: 'LICENSE',
    url: `https://raw.githubusercontent.com/openvinotoolkit/open_model_zoo/${commit}/LICENSE`,
    bytes: 11_357,
    digest: { algorithm: 'sha256', hex: 'c71d239df91726fc519c6eb72d318ec65820627232b2f796219e87dcf35d0ab4' },
  },
  files: [
    {
      file: `${name}.xml`,
      url: `${upstream}/${name}.xml`,
      bytes: 350_427,
      digest: {
        algorithm: 'sha384',
        hex: '689fb39e94bbd0d22cfeeb9292d0b91ac753424a7ee2c0555070e4038a00bfcaad473b47303012b9a393027dbad0dbce',
      },
    },
    {
      file: `${name}.bin`,
      url: `${upstream}/${name}.bin`,
      bytes: 2_213_628,
      digest: {
        algorithm: 'sha384',
        hex: '6d51703e854509dafdab9dfc6b932136d301d95be6d52c9c23b5a4f5de1ffec80e8d38b87e0e9556ad36f0dded1588ed',
      },
    },
  ],
  models: [name],
  compile: ([xml = new Uint8Array(), weights = new Uint8Array()]) => [
    {
      name,
      bytes: compileOpenVino(readOpenVinoIr(new TextDecoder().decode(xml), weights), name),
      inputRange: [0, 255],
      licence: 'Apache-2.0',
      origin: `${name}, Open Model Zoo 2023.0, FP16`,
    },
  ],
};
