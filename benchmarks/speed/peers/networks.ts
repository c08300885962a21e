import { ok } from 'node:assert/strict';
import { createTfjsTfliteNodeRuntime, type NodeFaceEngine } from '@svc/face-engine/node';
import { goldenInput, isGolden, type ModelEntry, type ModelName, planNetwork, readGraph } from '@svc/face-models';
import { Deviation } from '../../research/parity/deviation.ts';
import type { BenchCase } from '../suite.ts';
import { loadLiteRt } from './litert.ts';
import { loadOnnx } from './onnx.ts';

/** A network in a runtime: fill the input, run, read the outputs. */
export interface PeerNetwork {
  input(i: number): Float32Array;
  run(): unknown;
  output(i: number): ArrayLike<number>;
}

/** Bytes keep a cosine of 0.85 to the network in floats; others reproduce the golden outputs. */
const BYTES_AT_LEAST = 0.8;

/** @param floats of a network on bytes: the same in floats */
function onGolden(runtime: string, entry: ModelEntry, network: PeerNetwork, floats?: PeerNetwork): BenchCase {
  const picture = goldenInput(entry);
  const runOf = (other: PeerNetwork) => {
    other.input(0).set(picture);
    return other.run();
  };
  const run = () => runOf(network);
  const check = async () => {
    await run();
    const outputs = entry.outputs.map((_, i) => network.output(i));
    if (floats === undefined) return ok(await isGolden(entry.golden, outputs), runtime);
    await runOf(floats);
    const deviation = new Deviation();
    for (const [i, output] of outputs.entries()) deviation.add(output, floats.output(i));
    ok(deviation.cosine >= BYTES_AT_LEAST, `${runtime}: ${deviation.cosine}`);
  };
  return { name: `${entry.name}: ${runtime}`, run, check };
}

type Networks = Pick<NodeFaceEngine, 'bundle' | 'runtime'>;

/** A network in integers, then the same in floats on the core, in tfjs-tflite and in all peers. */
export async function runsOf(name: ModelName, integers: Networks, floats: Networks, isWithPeers: boolean) {
  const [whole, real] = [integers.bundle.manifest.models[name], floats.bundle.manifest.models[name]];
  if (whole === undefined || real === undefined) throw new Error(`a bundle lacks ${name}`);
  const tflite = await floats.bundle.read(name);
  const tfjs = await createTfjsTfliteNodeRuntime();
  const runs = [
    onGolden('integers', whole, await integers.runtime.load(await integers.bundle.read(name))),
    onGolden('floats', real, await floats.runtime.load(tflite)),
    onGolden('tfjs-tflite', real, await tfjs.load(tflite)),
  ];
  const graph = isWithPeers ? readGraph(tflite) : null;
  const plan = graph && planNetwork(graph);
  if (plan === null) return runs;
  const [onFloats, onBytes] = await loadOnnx(plan, goldenInput(real));
  return [
    ...runs,
    onGolden('LiteRT', real, await loadLiteRt(tflite)),
    onGolden('ONNX Runtime', real, onFloats),
    onGolden('ONNX Runtime on bytes', real, onBytes, onFloats),
  ];
}
