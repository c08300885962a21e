import { describe, expect, it } from 'vitest';
import { webClock } from '../platform/platform.ts';
import { createFakeEngine, OTHER_ENGINE_ID } from '../testing/fake-engine.ts';
import { ENGINE_ID } from '../testing/fake-service.ts';
import { EnginePreparation } from './engine-preparation.ts';

/** A preparation for a list of these engines, whose networks load when `loads` says so. */
function preparing(loads: () => Promise<void> = async () => undefined) {
  const prepared: string[] = [];
  const world = { listed: [] as readonly string[], prepared, measured: 0 };
  const fake = createFakeEngine([ENGINE_ID, OTHER_ENGINE_ID]);
  const engine: typeof fake = {
    ...fake,
    prepare: async (ids) => {
      prepared.push(ids.join(' + '));
      await loads();
    },
  };
  const preparation = new EnginePreparation({
    engine,
    passiveLiveness: null,
    clock: webClock,
    listed: () => world.listed,
    onMeasured: () => {
      world.measured += 1;
    },
  });
  return { preparation, world };
}

const turns = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the networks of a device', () => {
  it('are those of the list’s epochs, newest first, each loaded once, and freed when no epoch needs them', async () => {
    const { preparation, world } = preparing();
    await preparation.update();
    world.listed = [OTHER_ENGINE_ID, ENGINE_ID, OTHER_ENGINE_ID, 'unknown-engine/9'];
    for (let syncs = 0; syncs < 2; syncs += 1) await preparation.update();
    await preparation.during(async () => undefined);
    world.listed = [OTHER_ENGINE_ID];
    await preparation.update();
    world.listed = [];
    await preparation.update();
    expect(world.prepared).toEqual([ENGINE_ID, `${OTHER_ENGINE_ID} + ${ENGINE_ID}`, OTHER_ENGINE_ID, ENGINE_ID]);
    expect(world.measured).toBe(4);
  });

  it('that cannot be loaded are tried again before the next attempt, which runs all the same', async () => {
    let isBroken = true;
    const { preparation, world } = preparing(async () => {
      if (isBroken) throw new Error('no network');
    });
    await preparation.update();
    expect([await preparation.during(async () => 'attempted'), world.measured]).toEqual(['attempted', 0]);
    isBroken = false;
    await preparation.during(async () => undefined);
    await preparation.during(async () => undefined);
    expect(world.prepared).toHaveLength(3);
  });

  it('are neither loaded nor freed while an attempt runs, and unchanged once the device is closed', async () => {
    const { preparation, world } = preparing();
    await preparation.update();
    let end = () => {};
    const attempt = preparation.during(() => new Promise<void>((resolve) => (end = resolve)));
    await turns();
    world.listed = [OTHER_ENGINE_ID];
    const updating = preparation.update();
    await turns();
    expect(world.prepared).toEqual([ENGINE_ID]);
    end();
    await Promise.all([attempt, updating]);
    expect(world.prepared).toEqual([ENGINE_ID, OTHER_ENGINE_ID]);
    const closing = preparation.close();
    world.listed = [];
    await Promise.all([closing, preparation.update()]);
    expect(world.prepared).toHaveLength(2);
  });

  it('are waited for when the device is closed while they load', async () => {
    let loaded = () => {};
    const { preparation } = preparing(() => new Promise((resolve) => (loaded = resolve)));
    const updating = preparation.update();
    let isClosed = false;
    await turns();
    const closing = preparation.close().then(() => {
      isClosed = true;
    });
    await turns();
    expect(isClosed).toBe(false);
    loaded();
    await Promise.all([updating, closing]);
  });
});
