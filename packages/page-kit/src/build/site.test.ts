import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { contentTypeOf, hashesBelow, type ListedFile, writeSite } from './site.ts';

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
      bytes: 10,
      sha256: HASH,
      headers: { 'Content-Type': 'text/javascript; charset=utf-8' },
      // Compressed it would be longer.
      encodings: [],
    });
    expect((await hashesBelow(folder))['assets/page.js']).toBe(HASH);
  });

  it('lists each file compressed that gets smaller by that, the best form first', async () => {
    const site = await mkdtemp(join(tmpdir(), 'svc-site-'));
    onTestFinished(() => rm(site, { recursive: true }));
    // Above the size from which results are kept.
    const texts = { 'small.css': '.a { color: red }\n'.repeat(40), 'large.js': 'f();\n'.repeat(60_000) };
    for (const [name, text] of Object.entries(texts)) await writeFile(join(site, name), text);
    await writeFile(join(site, 'noise.tflite'), randomBytes(3000));
    const write = async () => {
      await writeSite(site, () => ({}));
      return JSON.parse(await readFile(join(site, 'site.json'), 'utf8')).files as ListedFile[];
    };
    const files = await write();
    expect(files.map(({ path, encodings }) => [path, encodings.map(({ encoding }) => encoding)])).toEqual([
      ['large.js', ['br', 'gzip']],
      ['noise.tflite', []],
      ['small.css', ['br', 'gzip']],
    ]);
    for (const [name, text] of Object.entries(texts)) {
      const [br, gzip] = files.find(({ path }) => path === name)?.encodings ?? [];
      expect([br?.path, gzip?.path]).toEqual([`${name}.br`, `${name}.gz`]);
      for (const [form, decode] of [[br, brotliDecompressSync] as const, [gzip, gunzipSync] as const]) {
        const bytes = await readFile(join(site, form?.path ?? ''));
        expect(decode(bytes).toString()).toBe(text);
        expect([form?.bytes, form?.sha256]).toEqual([
          bytes.length,
          createHash('sha256').update(bytes).digest('base64'),
        ]);
      }
    }
    // A second time, with the encoded files already there; and a third, where one is no longer worth it.
    expect(await write()).toEqual(files);
    await writeFile(join(site, 'small.css'), 'a{}');
    expect((await write()).find(({ path }) => path === 'small.css')?.encodings).toEqual([]);
    expect(await readdir(site)).not.toContain('small.css.br');
  });

  it.each([
    ['a/b.html', 'text/html; charset=utf-8'],
    ['a.d.ts', 'text/plain; charset=utf-8'],
    ['models/face.tflite', 'application/octet-stream'],
  ])('%s is %s', (path, type) => {
    expect(contentTypeOf(path)).toBe(type);
  });
});
