import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Tensor3D, tensor3d } from '@tensorflow/tfjs-core';
import { packageFolder } from '../environment.ts';
import { startTfjs } from './tfjs.ts';

interface Net {
  loadFromDisk(folder: string): Promise<void>;
}

interface Described {
  readonly detection: {
    readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  };
  readonly descriptor: Float32Array;
}

interface FaceApiModule {
  readonly nets: {
    readonly tinyFaceDetector: Net;
    readonly faceLandmark68Net: Net;
    readonly faceRecognitionNet: Net;
  };
  readonly TinyFaceDetectorOptions: new () => object;
  detectSingleFace(
    input: Tensor3D,
    options: object,
  ): { withFaceLandmarks(): { withFaceDescriptor(): Promise<Described | undefined> } };
}

export interface FaceApiPeer {
  /** Tiny detector, 68 landmarks and descriptor on 640×480 RGB bytes, including the copy into a tensor. */
  describe(rgb: Uint8Array): Promise<Described | undefined>;
}

/** `@vladmandic/face-api` with its fastest detector. */
export async function createFaceApi(frame: { width: number; height: number }): Promise<FaceApiPeer> {
  await startTfjs();
  const folder = packageFolder('@vladmandic/face-api');
  // Its exports have only the builds for browsers and for the native addon.
  const api: FaceApiModule = createRequire(import.meta.url)(join(folder, 'dist', 'face-api.node-wasm.js'));
  const { tinyFaceDetector, faceLandmark68Net, faceRecognitionNet } = api.nets;
  for (const net of [tinyFaceDetector, faceLandmark68Net, faceRecognitionNet]) {
    await net.loadFromDisk(join(folder, 'model'));
  }
  const options = new api.TinyFaceDetectorOptions();
  return {
    async describe(rgb) {
      const input = tensor3d(rgb, [frame.height, frame.width, 3], 'int32');
      const found = await api.detectSingleFace(input, options).withFaceLandmarks().withFaceDescriptor();
      input.dispose();
      return found;
    },
  };
}
