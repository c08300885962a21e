import { expect, it } from 'vitest';
import { type Site, type SiteFile, withOrigins } from './site.ts';

const file = (policy: string): SiteFile => ({
  ...{
    file: '/dist/index.html',
    sha256: 'AAAA',
    encoded: new Map([['br', { file: '/dist/index.html.br', sha256: 'BBBB' }]]),
  },
  headers: { 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' },
});
const site: Site = {
  get: (path) => (path === 'absent' ? undefined : file("default-src 'none'; frame-src 'self'; connect-src 'self'")),
};
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
  expect(present?.encoded.get('br')?.file).toBe(former?.encoded.get('br')?.file);
});

it('is as it was built where nothing is named', () => {
  expect(withOrigins(site, 'connect-src', [])).toBe(site);
});
