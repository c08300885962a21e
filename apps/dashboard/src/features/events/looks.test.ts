import { expect, it } from 'vitest';
import { changeOf, type Looks, logoFault, looksOf } from './looks.ts';

const looks: Looks = {
  accent: '#7a1fa2',
  font: ' Inter ',
  radius: 8,
  theme: 'light',
  heading: { en: ' Walk in ', de: ' ' },
  logo: 'kept',
};

it('a brand comes back as the form has it', () => {
  expect(looksOf(null)).toEqual({ accent: null, font: '', radius: null, theme: 'auto', heading: {}, logo: null });
  const logo = { imageBase64: 'AAAA', width: 1, height: 1 };
  const brand = { accent: '#ffd400', font: null, radius: 0, theme: 'dark' as const, heading: { de: 'Hallo' }, logo };
  expect(looksOf(brand)).toEqual({
    ...{ accent: '#ffd400', font: '', radius: 0, theme: 'dark' },
    heading: { de: 'Hallo' },
    logo: 'kept',
  });
});

it('what is empty is removed, and a logo is sent only when it is another', () => {
  const rest = { accent: '#7a1fa2', font: 'Inter', radius: 8, theme: 'light', heading: { en: 'Walk in' } };
  expect(changeOf(looks, true)).toEqual(rest);
  expect(changeOf({ ...looks, heading: {}, font: '' }, true)).toEqual({ ...rest, heading: null, font: null });
  expect(changeOf({ ...looks, logo: null }, true)).toEqual({ ...rest, logo: null });
  expect(changeOf({ ...looks, logo: null }, false)).toEqual(rest);
  expect(changeOf({ ...looks, logo: { imageBase64: 'AAAA', type: 'image/png' } }, false)).toEqual({
    ...{ ...rest, logo: { imageBase64: 'AAAA' } },
  });
});

it('a logo is a small PNG or JPEG', () => {
  const kib = 1024;
  expect(logoFault({ type: 'image/png', size: 512 * kib })).toBeNull();
  expect(logoFault({ type: 'image/jpeg', size: 512 * kib + 1 })).toBe('size');
  expect(logoFault({ type: 'image/svg+xml', size: 10 })).toBe('type');
});
