import { describe, expect, it, vi } from 'vitest';
import { continueFetch, startSession } from './head-start.ts';

const baseUrl = new URL('https://api.example/below');
const address = 'https://api.example/below/v1/widget/session?language=pt-PT';
const begin = (answer: () => Promise<Response>) => {
  const sent = vi.fn<typeof fetch>(answer);
  return { sent, start: startSession({ baseUrl, token: 'svce_token', language: 'pt-PT', fetch: sent }) };
};
const later = () => vi.fn<typeof fetch>(async () => new Response('later'));

describe('the session that is asked for in the page’s head', () => {
  it('answers the page’s first request for it, and only that', async () => {
    const { start } = begin(async () => new Response('first'));
    const send = later();
    const resumed = continueFetch(start, send);
    expect(await (await resumed(new URL(address))).text()).toBe('first');
    expect(send).not.toHaveBeenCalled();
    expect(await (await resumed(new URL(address))).text()).toBe('later');
  });

  it('is called off if the page asks for another language first', async () => {
    const { sent, start } = begin(async () => new Response('first'));
    const resumed = continueFetch(start, later());
    expect(await (await resumed(`${address}&other`)).text()).toBe('later');
    expect(sent.mock.calls[0]?.[1]?.signal?.aborted).toBe(true);
  });

  it('ends when the page’s request is called off', async () => {
    const { sent, start } = begin(() => new Promise(() => undefined));
    const leave = new AbortController();
    void continueFetch(start, later())(address, { signal: leave.signal });
    expect(sent.mock.calls[0]?.[1]?.signal?.aborted).toBe(false);
    leave.abort();
    expect(sent.mock.calls[0]?.[1]?.signal?.aborted).toBe(true);
  });
});
