import { readFileSync } from 'node:fs';
import { readTorchCheckpoint, type TorchTensor } from '@svc/face-models/node';

const path = new URL('../../../packages/face-models/training/weights/presence.pth', import.meta.url);

/** The committed state of «presence». */
export const presenceWeights = (): ReadonlyMap<string, TorchTensor> => readTorchCheckpoint(readFileSync(path));
