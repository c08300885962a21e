import { expect, it } from 'vitest';
import { openWithoutWebAssembly } from '../../examples/without-webassembly.ts';
import { loadCore } from '../index.ts';
import { sealRecord } from '../pack/index.ts';
import { patternBytes } from '../testing/patterns.ts';
import { createWasmAead } from './wasm.ts';

it('the example opens what the core sealed, and nothing else', async () => {
  const context = { listId: 'lst_1', epoch: 1, engineId: 'engine/1', dimension: 4, listKey: patternBytes('key', 32) };
  const template = Float32Array.of(0.5, 0.25, -0.5, 0);
  const aead = createWasmAead(await loadCore());
  const record = await sealRecord(aead, { ...context, personId: 'person-1', deleteAfterMs: 2e12, template });
  expect(await openWithoutWebAssembly({ ...context, personId: 'person-1', record })).toEqual(template);
  await expect(openWithoutWebAssembly({ ...context, personId: 'person-2', record })).rejects.toMatchObject({
    code: 'open-failed',
  });
});
