import { createHash } from 'node:crypto';
import { encodeNetwork, type IntegerPlan } from '@svc/core/network';
import calibration from '../calibration.json' with { type: 'json' };
import goldens from '../goldens.json' with { type: 'json' };
import { planNetwork } from '../plan/network-plan.ts';
import { type NetworkCalibration, quantisePlan } from '../plan/quantise.ts';
import { readGraph } from '../tflite/read-graph.ts';
import type { GoldenDigest, ModelEntry, ModelName } from '../types.ts';

const calibrations: Readonly<Partial<Record<ModelName, NetworkCalibration & { readonly tflite: string }>>> =
  calibration.networks;
/** Recorded by `record-goldens` in `benchmarks`. */
export const recordedGoldens: Readonly<Partial<Record<ModelName, GoldenDigest>>> = goldens;

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The integer plan of a `.tflite` file; null unless the calibration is of exactly these bytes. */
export function integerPlanOf(name: ModelName, tflite: Uint8Array): IntegerPlan | null {
  const own = calibrations[name];
  const graph = own?.tflite === sha256Of(tflite) ? readGraph(tflite) : null;
  const plan = graph && planNetwork(graph);
  if (own === undefined || graph === null || plan === null) return null;
  return quantisePlan(
    plan,
    own,
    graph.outputs.map((tensor) => graph.tensors[tensor]?.shape ?? []),
  );
}

/** A model's file and its entry in the manifest. */
export interface BundledModel {
  readonly entry: ModelEntry;
  readonly bytes: Uint8Array;
}

/** The integer network of a `.tflite` file; null unless there is a calibration of exactly these bytes. */
export function integerModel({
  entry,
  bytes: tflite,
}: Pick<BundledModel, 'bytes'> & { readonly entry: Omit<ModelEntry, 'golden'> }): BundledModel | null {
  const { name } = entry;
  const plan = integerPlanOf(name, tflite);
  const golden = recordedGoldens[name];
  if (plan === null || golden === undefined) return null;
  const bytes = encodeNetwork(plan);
  const sha256 = sha256Of(bytes);
  const file = `${name}-${sha256.slice(0, 12)}.network`;
  return { entry: { ...entry, file, sha256, bytes: bytes.length, golden }, bytes };
}
