import { afterEach, describe, expect, it, vi } from 'vitest';
import { readDeployment } from './pairing.ts';

const page = new URL('https://faces.example/eu/kiosk/');
const answer = (body: unknown, status = 200) =>
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify(body), { status })));

afterEach(() => vi.unstubAllGlobals());

describe('the deployment', () => {
  it('is the one that serves the page', async () => {
    answer({ signingKeys: ['key'] });
    expect(await readDeployment(page)).toEqual({ baseUrl: 'https://faces.example/eu/', signingKeys: ['key'] });
  });

  it('is another one if the page is served from elsewhere', async () => {
    answer({ signingKeys: ['key', 'next'], baseUrl: 'https://api.example' });
    expect(await readDeployment(page)).toEqual({ baseUrl: 'https://api.example/', signingKeys: ['key', 'next'] });
  });

  it.each([[{}], [{ signingKeys: [] }], [{ signingKeys: 'key' }], [null], [{ signingKeys: ['key'], baseUrl: 7 }]])(
    'is not read out of %j',
    async (body) => {
      answer(body);
      await expect(readDeployment(page)).rejects.toThrow();
    },
  );

  it('is unknown if the page answers with an error', async () => {
    answer({ signingKeys: ['key'] }, 503);
    await expect(readDeployment(page)).rejects.toThrow();
  });
});
