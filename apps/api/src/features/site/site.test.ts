import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { expect, it } from 'vitest';
import { StartError } from '../../config/start-error.ts';
import { readSite, type Site, type SiteFile, withOrigins } from './site.ts';

const form = { bytes: Buffer.from('a page'), sha256: 'AAAA' };
const file: SiteFile = {
  ...{ ...form, encoded: new Map([['br', { ...form, sha256: 'BBBB' }]]) },
  headers: {
    'Content-Security-Policy': "default-src 'none'; frame-src 'self'; connect-src 'self'",
    'Cache-Control': 'no-cache',
  },
};
const site: Site = new Map([
  ['index.html', file],
  ['assets/worker.js', file],
]);
const policyOf = (of: Site, path = 'index.html') => of.get(path)?.headers['Content-Security-Policy'];

it('a page may frame what the deployment names, and nothing else of it changes', () => {
  const widened = withOrigins(site, 'frame-src', ['https://widget.example']);
  expect(policyOf(widened)).toBe("default-src 'none'; frame-src 'self' https://widget.example; connect-src 'self'");
  expect(policyOf(widened, 'assets/worker.js')).toBe(policyOf(site));
  expect(widened.get('index.html')?.headers['Cache-Control']).toBe('no-cache');
  expect(widened.get('absent')).toBeUndefined();
});

it('is another page to a browser that has it with the former policy, in each of its forms', () => {
  const [former, present] = [
    site.get('index.html'),
    withOrigins(site, 'frame-src', ['https://a.example']).get('index.html'),
  ];
  expect(present?.sha256).not.toBe(former?.sha256);
  expect(present?.encoded.get('br')?.sha256).not.toBe(former?.encoded.get('br')?.sha256);
  expect(present?.encoded.get('br')?.bytes).toBe(form.bytes);
});

it('is as it was built where nothing is named', () => {
  expect(withOrigins(site, 'connect-src', [])).toBe(site);
});

it('is none before its build, and no mixture of two builds', async () => {
  const folder = temporaryFolder();
  expect(readSite(folder)).toBeNull();
  const files = [{ path: 'index.html', sha256: 'LinNmph1XEaJb3otVlJNstbZaySONttG3hTDC/R8jQU=', headers: {} }];
  await writeFile(join(folder, 'site.json'), JSON.stringify({ format: 1, files }));
  expect(() => readSite(folder)).toThrow(StartError);
  await writeFile(join(folder, 'index.html'), 'of another build');
  expect(() => readSite(folder)).toThrow(StartError);
  await writeFile(join(folder, 'index.html'), 'export {};');
  expect(readSite(folder)?.get('index.html')?.bytes.toString()).toBe('export {};');
});
