import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileDlibResNet } from '../networks/dlib-resnet.ts';
import type { CompiledModel } from '../node/write-model-folder.ts';
import { readPackedAsset, readTfjsWeights } from '../sources/tfjs-weights.ts';

const require = createRequire(import.meta.url);

/** Files of npm dependencies from which the base bundle is built. */
export interface Sources {
  readonly detectionShort: Uint8Array;
  readonly detectionFull: Uint8Array;
  readonly meshLoader: Uint8Array;
  readonly meshAssets: Uint8Array;
  readonly embeddingManifest: Uint8Array;
  readonly embeddingShard: Uint8Array;
}

/** @throws Error if a dependency is not installed */
export function readSources(): Sources {
  return {
    detectionShort: readFileSync(require.resolve('@mediapipe/face_detection/face_detection_short_range.tflite')),
    detectionFull: readFileSync(require.resolve('@mediapipe/face_detection/face_detection_full_range.tflite')),
    meshLoader: readFileSync(require.resolve('@mediapipe/face_mesh/face_mesh_solution_packed_assets_loader.js')),
    meshAssets: readFileSync(require.resolve('@mediapipe/face_mesh/face_mesh_solution_packed_assets.data')),
    embeddingManifest: readFileSync(
      require.resolve('@vladmandic/face-api/model/face_recognition_model-weights_manifest.json'),
    ),
    embeddingShard: readFileSync(require.resolve('@vladmandic/face-api/model/face_recognition_model.bin')),
  };
}

/** Compiles the base bundle. Pure: the same sources give the same bytes. */
export function compileBaseModels(sources: Sources): CompiledModel[] {
  return [
    {
      name: 'face-detection-short',
      bytes: sources.detectionShort,
      inputRange: [-1, 1],
      licence: 'Apache-2.0',
      origin: 'BlazeFace short range, @mediapipe/face_detection',
    },
    {
      name: 'face-detection-full',
      bytes: sources.detectionFull,
      inputRange: [-1, 1],
      licence: 'Apache-2.0',
      origin: 'BlazeFace full range, @mediapipe/face_detection',
    },
    {
      name: 'face-mesh',
      bytes: readPackedAsset(
        text(sources.meshLoader),
        sources.meshAssets,
        '/third_party/mediapipe/modules/face_landmark/face_landmark.tflite',
      ),
      inputRange: [0, 1],
      licence: 'Apache-2.0',
      origin: 'Face mesh without attention, @mediapipe/face_mesh',
    },
    {
      name: 'face-embedding',
      bytes: compileDlibResNet(readTfjsWeights(text(sources.embeddingManifest), sources.embeddingShard)),
      inputRange: [0, 255],
      // face-api is MIT; its weights are dlib's, in the public domain.
      licence: 'MIT AND CC0-1.0',
      origin: 'dlib face recognition ResNet v1, @vladmandic/face-api',
    },
  ];
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
