import type { CoreImage } from '@svc/core';
import type { ModelName } from '@svc/face-models';
import type { ModelSession } from '../session.ts';
import type { Box } from '../types.ts';
import { livenessCrop } from './liveness-crop.ts';

/** Judges a frame by what is in and around one face. Whether the frame can be scored at all is decided before. */
export interface FrameScorer {
  /**
   * @param box the liveness box of the face
   * @returns 0..1, more for a person; NaN where a network gave no number
   */
  score(frame: CoreImage, box: Box): Promise<number>;
  dispose(): void;
}

/** Opens a network of the bundle. */
export type OpenNetwork = (name: ModelName) => Promise<ModelSession>;

/** A network that reads a crop of the frame and says one number of it. */
export interface CropNetwork {
  readonly name: ModelName;
  /** How many times the liveness box the crop is. */
  readonly scale: number;
  /** Side of its input, pixels: crops that are no squares are squashed. */
  readonly side: number;
  /** From a byte of the picture to its input: `scale · byte + offset`. */
  readonly input: { readonly scale: number; readonly offset: number };
  /** Which element of its output is the number. */
  readonly element: number;
}

/** A scorer of several networks, each on its own crop. @param combine what the numbers, in the networks' order, are worth together, 0..1 */
export async function openCropScorer(
  open: OpenNetwork,
  networks: readonly CropNetwork[],
  combine: (numbers: readonly number[]) => number,
): Promise<FrameScorer> {
  const opened: { readonly session: ModelSession; readonly network: CropNetwork }[] = [];
  for (const network of networks) opened.push({ session: await open(network.name), network });
  return {
    async score(frame, box) {
      const numbers: number[] = [];
      for (const { session, network } of opened) numbers.push(await numberOf(session, network, frame, box));
      return combine(numbers);
    },
    dispose() {
      for (const { session } of opened) session.dispose();
    },
  };
}

function numberOf(session: ModelSession, network: CropNetwork, frame: CoreImage, box: Box): Promise<number> {
  const { scale, side, input: range, element } = network;
  const crop = livenessCrop(frame, box, scale);
  const transform = { a: crop.width / side, b: 0, c: crop.x, d: 0, e: crop.height / side, f: crop.y };
  return session.infer(
    (input) => frame.warpToFloat(transform, side, side, { ...range, out: input }),
    (model) => model.output(0)[element] ?? Number.NaN,
  );
}
