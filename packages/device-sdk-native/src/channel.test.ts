import { describe, expect, it, vi } from 'vitest';
import { type ContractError, type Envelope, type Handlers, PageChannel, type ShellRequests } from './index.ts';

// The dialogues of `contract/vectors/sessions.json` have the rest.

const SESSION = 'AAAAAAAAAAAAAAAAAAAAAA';

/** A page whose shell is the test itself. */
function aPage(handlers: Partial<Handlers<ShellRequests>> = {}) {
  const sent: Envelope[] = [];
  const page = new PageChannel(
    { minor: 0, sdkVersion: '1.0.0', session: SESSION },
    (text) => sent.push(JSON.parse(text)),
    handlers as Handlers<ShellRequests>,
  );
  const receive = (envelope: object) =>
    page.receive(JSON.stringify({ v: 1, session: SESSION, kind: 'request', body: {}, ...envelope }));
  return { page, sent, receive };
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (error: ContractError) => error.code,
  );

describe('the page’s side of a session', () => {
  it('times out, and takes no late answer', async () => {
    const { page, receive } = aPage();
    expect(await codeOf(page.request('keyStore.hasDeviceKey', {}, { timeoutMs: 1 }))).toBe('timeout');
    receive({ kind: 'answer', id: 1, name: 'keyStore.hasDeviceKey', body: { has: true } });
  });

  it('fails what waits when it is closed, and takes and sends nothing more', async () => {
    const { page, sent, receive } = aPage({ sync: () => ({ result: { ok: false, reason: 'offline' } }) });
    const asked = codeOf(page.request('keyStore.hasDeviceKey', {}));
    page.close('disposed', 'disposed');
    expect(await asked).toBe('disposed');
    receive({ id: 1, name: 'sync' });
    page.emit('fault', { code: 'disposed', message: '' });
    expect(await codeOf(page.request('keyStore.hasDeviceKey', {}))).toBe('disposed');
    expect(sent).toHaveLength(2);
  });

  it('sends no body of another form, and nothing over 1 MiB', async () => {
    const { page, sent } = aPage();
    expect(await codeOf(page.request('keyStore.listKeys', { generation: 0 }))).toBe('message-invalid');
    const long = 'AAAA'.repeat(1_365);
    const epochs = Array.from({ length: 100 }, (_, epoch) => ({
      epoch,
      sealed: { enc: long, ciphertext: long, info: long },
    }));
    expect(await codeOf(page.request('keyStore.openListKeys', { epochs, checkInSecret: null }))).toBe('too-large');
    expect(sent).toHaveLength(1);
  });

  it('tells codes of the contract, and of other errors nothing', async () => {
    const { sent, receive } = aPage({
      sync: () => {
        throw Object.assign(new Error('the disk is full'), { code: 'storage-failed' });
      },
      stop: () => {
        throw new Error('a secret');
      },
      status: () => ({ status: { ready: 'perhaps' } as never }),
    });
    receive({ id: 1, name: 'sync' });
    receive({ id: 2, name: 'stop' });
    receive({ id: 3, name: 'status' });
    await vi.waitFor(() => expect(sent).toHaveLength(4), 30_000);
    expect(sent.slice(1).map(({ body }) => body)).toEqual([
      { code: 'storage-failed', message: 'the disk is full' },
      { code: 'runtime-failed', message: 'an unexpected error' },
      { code: 'runtime-failed', message: 'an unexpected error' },
    ]);
  });
});
