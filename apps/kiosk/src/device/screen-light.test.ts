import { describe, expect, it } from 'vitest';
import { screenLightOf } from './screen-light.ts';

function page() {
  const properties = new Map<string, string>();
  const dataset: Record<string, string> = {};
  const style = {
    setProperty: (name: string, value: string) => void properties.set(name, value),
    removeProperty: (name: string) => void properties.delete(name),
  };
  return { document: { documentElement: { style, dataset } } as unknown as Document, properties, dataset };
}
const system = (reduced: boolean) => ({
  matchMedia: (query: string) =>
    ({ matches: reduced && query === '(prefers-reduced-motion: reduce)' }) as MediaQueryList,
});

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
});
