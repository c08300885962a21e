import { expect, it } from 'vitest';
import { changeOf, type Looks, logoFault, looksOf } from './looks-form.tsx';

const logo = { imageBase64: 'AAAA', type: 'image/png' };
const organiser = { organiserName: 'Hall', privacyNoticeUrl: 'https://example.org' };
const looks: Looks = {
  ...{ ...organiser, accent: '#7a1fa2', font: ' Inter ', radius: '8', theme: 'light' },
  ...{ heading: { en: ' Walk in ', de: ' ' }, benefit: { de: ' Eigene Spur ' } },
  logo,
};

it('settings come back as the form has them', () => {
  const none = { accent: null, font: '', radius: '', theme: 'auto', heading: {}, benefit: {}, logo: null };
  expect(looksOf(null)).toEqual({ ...none, organiserName: '', privacyNoticeUrl: '' });
  const lines = { heading: { de: 'Hallo' }, benefit: { en: 'Your own lane' } };
  const shown = { accent: '#ffd400', radius: 0, theme: 'dark' as const, ...lines };
  const brand = { ...shown, font: null, logo: { imageBase64: 'AAAA', width: 1, height: 1 } };
  expect(looksOf({ ...organiser, brand })).toEqual({ ...organiser, ...shown, font: '', radius: '0', logo });
});

it('what is empty is removed, and a logo is sent only when it is another', () => {
  const lines = { heading: { en: 'Walk in' }, benefit: { de: 'Eigene Spur' } };
  const rest = { accent: '#7a1fa2', font: 'Inter', radius: 8, theme: 'light', ...lines };
  expect(changeOf(looks, 'AAAA')).toEqual({ ...organiser, brand: rest });
  expect(changeOf({ ...looks, heading: {}, font: '' }, 'AAAA').brand).toEqual({ ...rest, heading: null, font: null });
  expect(changeOf({ ...looks, logo: null }, 'AAAA').brand).toEqual({ ...rest, logo: null });
  expect(changeOf({ ...looks, logo: null }, null).brand).toEqual(rest);
  expect(changeOf(looks, null).brand).toEqual({ ...rest, logo: { imageBase64: 'AAAA' } });
});

it('a logo is a small PNG or JPEG', () => {
  const kib = 1024;
  expect(logoFault({ type: 'image/png', size: 512 * kib })).toBeNull();
  expect(logoFault({ type: 'image/jpeg', size: 512 * kib + 1 })).toBe('size');
  expect(logoFault({ type: 'image/svg+xml', size: 10 })).toBe('type');
});
