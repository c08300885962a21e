import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { heldFragment, keepFragment, readFragment, settingNames, takeFragment, writeFragment } from './address.ts';

const token = `svce_${'a1B2'.repeat(12)}`;

describe('the frame’s address', () => {
  it('is the token alone in a guest link', () => {
    expect(writeFragment(token, {})).toBe(`#${token}`);
    expect(readFragment(`#${token}`)).toEqual({ token, settings: {} });
  });

  it('holds every setting as it was given', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
    const anySettings = fc.record(Object.fromEntries(settingNames.map((name) => [name, text])), { requiredKeys: [] });
    fc.assert(
      fc.property(anySettings, (settings) => {
        expect(readFragment(writeFragment(token, settings))).toEqual({ token, settings });
      }),
    );
  });

  it('keeps every setting inside the fragment', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (accent) => {
        const url = new URL(`https://widget.example/widget/${writeFragment(token, { accent })}`);
        expect(url.origin + url.pathname + url.search).toBe('https://widget.example/widget/');
      }),
    );
  });

  it('has no token if there is none', () => {
    for (const hash of ['', '#', '#&theme=dark', `#svcd_${'a'.repeat(49)}`, '#svce_', `#svce_a b`, '#svce_<img>']) {
      expect(readFragment(hash).token, hash).toBe(null);
    }
  });

  it('has known settings once, and leaves out unknown and overlong ones', () => {
    expect(readFragment(`#${token}&theme=dark&theme=light&colour=red&__proto__=x&font=${'a'.repeat(201)}`)).toEqual({
      token,
      settings: { theme: 'dark' },
    });
  });

  it('can be read from any text', () => {
    fc.assert(fc.property(fc.string(), (hash) => void readFragment(hash)));
  });
});

/** A tab at an address, or a frame in it. @param storage null: the browser forbids it */
function open(hash: string, storage: Map<string, string> | null, parent?: object) {
  const location = { hash, pathname: '/widget/', search: '' };
  const shown: unknown[] = [];
  const replaceState = (state: unknown, _: string, url: string) => {
    shown.push(state, url);
    location.hash = '';
  };
  const view = {
    ...{ location, shown, history: { state: 'camera', replaceState }, parent },
    get sessionStorage() {
      if (storage === null) throw new DOMException('no', 'SecurityError');
      const [getItem, setItem] = [(name: string) => storage.get(name) ?? null, storage.set.bind(storage)];
      return { getItem, setItem, removeItem: storage.delete.bind(storage) };
    },
  };
  view.parent ??= view;
  return view as typeof view & Parameters<typeof takeFragment>[0];
}

describe('a guest link’s token', () => {
  const link = writeFragment(token, { language: 'de' });

  it('leaves the address and its history, and is there after a reload until it is forgotten', () => {
    const storage = new Map<string, string>();
    const tab = open(link, storage);
    expect([heldFragment(tab), tab.shown]).toEqual([link, []]);
    expect([takeFragment(tab), tab.shown]).toEqual([link, ['camera', '/widget/']]);
    expect(takeFragment(open('', storage))).toBe(link);
    // Another link in the same tab.
    expect(takeFragment(open('#svce_other', storage))).toBe('#svce_other');
    keepFragment(tab, null);
    expect([heldFragment(open('', storage)), storage.size]).toEqual(['', 0]);
  });

  it('stays in the address where the browser forbids storage, so that a reload goes on', () => {
    const tab = open(link, null);
    expect([takeFragment(tab), tab.location.hash, heldFragment(tab)]).toEqual([link, link, link]);
  });

  it('stays in a frame’s address, and in no storage', () => {
    const storage = new Map([['svc-link', '#svce_of_the_tab']]);
    const frame = open(link, storage, {});
    expect([takeFragment(frame), frame.location.hash, storage.size]).toEqual([link, link, 1]);
    expect(heldFragment(open('', storage, {}))).toBe('');
  });
});
