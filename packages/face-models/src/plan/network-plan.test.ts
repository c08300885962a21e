import type { NetworkLayer } from '@svc/core/network';
import { beforeAll, expect, it } from 'vitest';
import type { ModelBundle } from '../model-bundle.ts';
import { floatBundle } from '../testing/float-bundle.ts';
import { sharedData } from '../testing/folders.ts';
import { readGraph } from '../tflite/read-graph.ts';
import type { ModelName } from '../types.ts';
import { planNetwork } from './network-plan.ts';

/**
 * How many layers of each kind a network has; `+sum` adds another map, then follows the activation. That there are fewer
 * layers than operators makes it fast. That they compute the network is told by its golden outputs.
 */
const plans: readonly (readonly [ModelName, string])[] = [
  [
    'face-detection-short',
    'convolution 4, convolution+relu 1, convolution+sum+relu 16, depthwise 16, max-pool 3, pad 11',
  ],
  [
    'face-detection-full',
    'add 3, convolution 2, convolution+relu 27, convolution+sum+relu 20, depthwise 40, max-pool 4, pad 8, upsample 3',
  ],
  ['face-mesh', 'convolution 2, convolution+prelu 3, convolution+sum+prelu 20, depthwise 20, max-pool 6, pad 3'],
  [
    'face-embedding',
    'add+relu 2, average-pool 5, convolution 3, convolution+relu 15, convolution+sum+relu 12, max-pool 1, pad 5',
  ],
  [
    'face-reidentification-retail-0095',
    'affine 1, average-pool 15, convolution 31, convolution+prelu 32, depthwise 1, depthwise+prelu 16, logistic 15, scale 3, scale+sum 12',
  ],
  [
    'minifasnet-v2',
    'convolution 5, convolution+prelu 17, convolution+sum 12, depthwise 1, depthwise+prelu 16, softmax 1',
  ],
  [
    'minifasnet-v1se',
    'average-pool 3, convolution 11, convolution+prelu 17, convolution+relu 3, convolution+sum 9, depthwise 1, depthwise+prelu 16, logistic 3, scale+sum 3, softmax 1',
  ],
];

function kindOf(layer: NetworkLayer): string {
  const sum = 'residual' in layer && layer.residual !== null ? '+sum' : '';
  if (!('activation' in layer) || layer.activation === 'none') return layer.kind + sum;
  return `${layer.kind}${sum}+${layer.activation instanceof Float32Array ? 'prelu' : layer.activation}`;
}

let bundle: ModelBundle;
beforeAll(async () => {
  const published = sharedData('models');
  if (published === null) process.stdout.write('skipped: no ../shared (plans of the add-ons’ networks)\n');
  bundle = await floatBundle(published);
});

it.each(plans)('%s', async (name, expected) => {
  if (!bundle.has(name)) return;
  const graph = readGraph(await bundle.read(name));
  const counts = new Map<string, number>();
  const plan = graph && planNetwork(graph);
  for (const kind of plan?.layers.map(kindOf).sort() ?? []) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  expect(plan && [...counts].map((row) => row.join(' ')).join(', ')).toBe(expected);
});
