import { createNodeFaceEngine } from '@svc/face-engine/node';
import { openBrowserDoor } from '../browser/browser-door.ts';
import { withAddOns } from '../inputs/engines.ts';
import type { Start } from '../inputs/one-core.ts';
import { oneFace } from '../inputs/photo.ts';
import { type Door, personIdOf } from './door.ts';
import type { Film } from './film.ts';
import { startListService } from './list-service.ts';
import { openNodeDoor } from './node-door.ts';

export interface OpenDoorsOptions {
  readonly film: Film;
  /** Number of the film's people on the list. */
  readonly people: number;
  /** Adds devices without the passive check to those with it. */
  readonly withoutPassiveToo: boolean;
  /** Path of Chromium; null for no door there. */
  readonly executablePath: string | null;
  /** Starts the browser. */
  readonly start?: Start;
}

export interface OpenedDoors {
  readonly doors: readonly Door[];
  /** Devices per platform: with the passive check, without, or both. */
  readonly variants: readonly boolean[];
  close(): Promise<void>;
}

/** A list of people enrolled by the default engine, and synced devices in Node and in Chromium. */
export async function openDoors(options: OpenDoorsOptions): Promise<OpenedDoors> {
  const { film, people, withoutPassiveToo, executablePath, start = (begin) => begin() } = options;
  const cleanUp: (() => Promise<void> | void)[] = [];
  const close = async () => {
    for (const action of cleanUp.splice(0).reverse()) await action();
  };
  try {
    return await withAddOns(async (addOn) => {
      const loaded = await createNodeFaceEngine(addOn);
      const { engine, runtime, passiveLiveness } = loaded;
      cleanUp.push(() => {
        passiveLiveness?.dispose();
        engine.dispose();
        runtime.dispose();
      });
      const service = await startListService(engine);
      cleanUp.push(() => service.close());
      for (let person = 0; person < people; person += 1) {
        const enrolled = await engine.enrol(film.photo(person));
        if (!enrolled.ok) throw new Error(`a photo is refused: ${enrolled.reason}`);
        service.enrol(personIdOf(person), enrolled.reference);
      }
      const { image, analysis } = await oneFace(engine, film.frame(0, { tick: 0, yawDeg: 0 }));
      image.dispose();
      const hasPassive = passiveLiveness !== null;
      const variants = hasPassive && withoutPassiveToo ? [true, false] : [hasPassive];
      const shared = { service, film, variants, face: analysis.box };
      const doors: Door[] = [];
      const add = (door: Door) => {
        doors.push(door);
        cleanUp.push(() => door.close());
      };
      add(await openNodeDoor({ ...shared, loaded }));
      if (executablePath !== null) add(await openBrowserDoor({ ...shared, addOn, executablePath, start }));
      return { doors, variants, close };
    });
  } catch (error) {
    await close();
    throw error;
  }
}
