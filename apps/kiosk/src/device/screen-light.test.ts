import { describe, expect, it } from 'vitest';
import { readyStatus } from '../testing/sample-states.ts';
import { createScreenLight, withScreenLight } from './screen-light.ts';

function createPage() {
  const properties = new Map<string, string>();
  const dataset: Record<string, string> = {};
  const style = {
    setProperty: (name: string, value: string) => void properties.set(name, value),
    removeProperty: (name: string) => void properties.delete(name),
  };
  return { page: { documentElement: { style, dataset } } as unknown as Document, properties, dataset };
}

/** A system setting for reduced motion that a test changes. */
class Motion extends EventTarget {
  matches = false;

  readonly matchMedia = (query: string): MediaQueryList => {
    expect(query).toBe('(prefers-reduced-motion: reduce)');
    return this as unknown as MediaQueryList;
  };

  reduce(): void {
    this.matches = true;
    this.dispatchEvent(new Event('change'));
  }
}

const asked = { ...readyStatus, protections: { ...readyStatus.protections, light: 'when-possible' as const } };

describe('the page as a light', () => {
  it('shows colours, which fade in and out but change immediately, and restores the page', () => {
    const { page, properties, dataset } = createPage();
    const show = createScreenLight({ page, system: new Motion(), isWanted: () => true }).current(readyStatus);
    const grey = { red: 188, green: 188, blue: 188 };
    const fades = [grey, { ...grey, red: 255 }, grey, null].map((colour) => {
      show?.(colour);
      return [properties.get('--screen-light') ?? '', 'screenFades' in dataset];
    });
    const [first, second] = ['rgb(188 188 188)', 'rgb(255 188 188)'];
    expect(fades).toEqual([[first, true], ...[second, first].map((colour) => [colour, false]), ['', true]]);
    expect(Object.keys(dataset)).toEqual(['screenFades']);
  });

  it('is available for people who can’t turn the head, whatever the setting, unless motion is reduced', () => {
    const motion = new Motion();
    const light = createScreenLight({ page: createPage().page, system: motion, isWanted: () => false });
    const status = { ...readyStatus, headTurnAlternative: 'light' as const };
    expect(light.instead()).toBeDefined();
    expect(withScreenLight(status, light)).toMatchObject({
      headTurnAlternative: 'light',
      protections: { light: 'off' },
    });
    motion.reduce();
    expect(light.instead()).toBeUndefined();
    expect(withScreenLight(status, light).headTurnAlternative).toBe('none');
    expect(withScreenLight({ ...status, headTurnAlternative: 'staff' }, light).headTurnAlternative).toBe('staff');
  });

  it('is on at an unattended list, whatever the setting, unless motion is reduced', () => {
    const motion = new Motion();
    const light = createScreenLight({ page: createPage().page, system: motion, isWanted: () => false });
    const lightAt = (attendance: 'staffed' | 'unattended') => {
      const status = { ...asked, attendance };
      return [light.current(status) !== undefined, withScreenLight(status, light).protections.light];
    };
    expect([lightAt('staffed'), lightAt('unattended')]).toEqual([
      [false, 'off'],
      [true, 'when-possible'],
    ]);
    motion.reduce();
    expect(lightAt('unattended')).toEqual([false, 'off']);
  });

  it('follows the setting and the system’s reduced motion, as does the status', () => {
    const motion = new Motion();
    let isWanted = false;
    const light = createScreenLight({ page: createPage().page, system: motion, isWanted: () => isWanted });
    const told: string[] = [];
    const end = light.onChange(() => told.push(withScreenLight(asked, light).protections.light));
    expect(withScreenLight(asked, light).protections).toEqual({ ...asked.protections, light: 'off' });
    isWanted = true;
    light.changed();
    expect(light.current(asked)).toBeDefined();
    motion.reduce();
    expect(light.current(asked)).toBeUndefined();
    expect(told).toEqual(['when-possible', 'off']);
    end();
    light.changed();
    expect(told).toHaveLength(2);
  });
});
