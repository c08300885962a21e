import { expect, it } from 'vitest';
import { NativeStage } from '../testing/native-stage.ts';

it('greets, is configured, syncs and lets a guest in', async () => {
  const stage = new NativeStage();
  await stage.load();
  const { status } = await stage.configure();
  expect(status).toMatchObject({ ready: false, core: 'simd', framesPerSecond: null });
  const { result } = await stage.shell.channel.request('sync', {});
  expect(result).toMatchObject({ ok: true, people: 2 });
  expect(await stage.verify()).toBe('Match/verified');
  expect(stage.shell.prompts.at(-1)).toBeNull();
});
