import { describe, expect, it } from 'vitest';
import { readyStatus } from '../testing/sample-states.ts';
import { onScreenLight, screenLightOf, withScreenLight } from './screen-light.ts';

function page() {
  const properties = new Map<string, string>();
  const dataset: Record<string, string> = {};
  const style = {
    setProperty: (name: string, value: string) => void properties.set(name, value),
    removeProperty: (name: string) => void properties.delete(name),
  };
  return { document: { documentElement: { style, dataset } } as unknown as Document, properties, dataset };
}

class Query extends EventTarget {
  readonly matches: boolean;
  constructor(matches: boolean) {
    super();
    this.matches = matches;
  }
}

function system(reduced: boolean) {
  const query = new Query(reduced);
  const none = new Query(false);
  const matchMedia = (text: string) => (text === '(prefers-reduced-motion: reduce)' ? query : none) as MediaQueryList;
  return { matchMedia, change: () => query.dispatchEvent(new Event('change')) };
}

describe('the page as a light', () => {
  it('takes a colour and gives the page back', () => {
    const { document, properties, dataset } = page();
    const show = screenLightOf(document, system(false));
    show?.({ red: 255, green: 149, blue: 124 });
    expect(properties.get('--screen-light')).toBe('rgb(255 149 124)');
    expect(dataset).toHaveProperty('screenLight');
    show?.(null);
    expect([...properties.keys(), ...Object.keys(dataset)]).toEqual([]);
  });

  it('is none for whoever asked for reduced motion', () => {
    expect(screenLightOf(page().document, system(true))).toBeUndefined();
  });

  it('is in the status only where there is one', () => {
    const asked = { ...readyStatus, protections: { ...readyStatus.protections, light: 'when-possible' as const } };
    expect(withScreenLight(asked, system(false))).toBe(asked);
    expect(withScreenLight(asked, system(true)).protections).toEqual({ ...asked.protections, light: 'off' });
  });

  it('tells when it comes and goes', () => {
    let told = 0;
    const changing = system(false);
    const end = onScreenLight(changing, () => {
      told += 1;
    });
    changing.change();
    end();
    changing.change();
    expect(told).toBe(1);
  });
});
