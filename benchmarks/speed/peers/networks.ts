import { ok } from 'node:assert/strict';
import type { NetworkModel } from '@svc/face-engine';
import { createTfjsTfliteNodeRuntime, type NodeFaceEngine } from '@svc/face-engine/node';
import { goldenInput, isGolden, type ModelEntry, type ModelName } from '@svc/face-models';
import type { BenchCase } from '../suite.ts';

function onGolden(runtime: string, entry: ModelEntry, network: NetworkModel): BenchCase {
  const picture = goldenInput(entry);
  const run = () => {
    network.input(0).set(picture);
    return network.run();
  };
  const check = async () => {
    await run();
    ok(
      await isGolden(
        entry.golden,
        entry.outputs.map((_, i) => network.output(i)),
      ),
      runtime,
    );
  };
  return { name: `${entry.name}: ${runtime}`, run, check };
}

type Networks = Pick<NodeFaceEngine, 'bundle' | 'runtime'>;

/** A network in integers, then the same in floats on the core and in tfjs-tflite. */
export async function runsOf(name: ModelName, integers: Networks, floats: Networks) {
  const [whole, real] = [integers.bundle.manifest.models[name], floats.bundle.manifest.models[name]];
  if (whole === undefined || real === undefined) throw new Error(`a bundle lacks ${name}`);
  const tflite = await floats.bundle.read(name);
  const tfjs = await createTfjsTfliteNodeRuntime();
  return [
    onGolden('integers', whole, await integers.runtime.load(await integers.bundle.read(name))),
    onGolden('floats', real, await floats.runtime.load(tflite)),
    onGolden('tfjs-tflite', real, await tfjs.load(tflite)),
  ];
}
