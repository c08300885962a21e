import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentTypeOf } from './headers.ts';
import { hashesBelow, writeSite } from './site.ts';

// `printf 'export {};' | openssl dgst -sha256 -binary | base64`
const HASH = 'LinNmph1XEaJb3otVlJNstbZaySONttG3hTDC/R8jQU=';

describe('site.json', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-site-'));
    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'index.html'), '<!doctype html>');
    await writeFile(join(folder, 'assets', 'page.js'), 'export {};');
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('lists every file except itself, with its hash and its headers', async () => {
    const headersOf = (path: string) => ({ 'Content-Type': contentTypeOf(path) });
    await writeSite(folder, headersOf);
    // Written again, with a site.json already there.
    await writeSite(folder, headersOf);
    const { format, files } = JSON.parse(await readFile(join(folder, 'site.json'), 'utf8'));
    expect(format).toBe(1);
    expect(files.map(({ path }: { path: string }) => path)).toEqual(['assets/page.js', 'index.html']);
    expect(files[0]).toEqual({
      path: 'assets/page.js',
      sha256: HASH,
      headers: { 'Content-Type': 'text/javascript; charset=utf-8' },
    });
    expect((await hashesBelow(folder))['assets/page.js']).toBe(HASH);
  });

  it.each([
    ['a/b.html', 'text/html; charset=utf-8'],
    ['a.d.ts', 'text/plain; charset=utf-8'],
    ['models/face.tflite', 'application/octet-stream'],
  ])('%s is %s', (path, type) => {
    expect(contentTypeOf(path)).toBe(type);
  });
});
