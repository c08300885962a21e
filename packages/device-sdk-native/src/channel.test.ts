import { describe, expect, it, vi } from 'vitest';
import {
  type ContractError,
  type Envelope,
  type EventHandlers,
  type Handlers,
  PageChannel,
  type PageRequests,
  ShellChannel,
  type ShellRequests,
} from './index.ts';

const SESSION = 'AAAAAAAAAAAAAAAAAAAAAA';
const OTHER = 'BBBBBBBBBBBBBBBBBBBBBA';
const hello = (session = SESSION) => ({ minor: 0, sdkVersion: '1.0.0', session });

/** Handlers of which each test names the few that it needs. */
const only = <T>(some: Partial<T>) => some as T;

function bothSides(
  pageHandlers: Partial<Handlers<ShellRequests>> = {},
  shellHandlers: Partial<Handlers<PageRequests>> = {},
) {
  const [toPage, toShell]: [string[], string[]] = [[], []];
  const onEvent: EventHandlers = { hello: vi.fn(), status: vi.fn(), prompt: vi.fn(), fault: vi.fn() };
  const shell = new ShellChannel(
    (text) => {
      toPage.push(text);
      queueMicrotask(() => page.receive(text));
    },
    only(shellHandlers),
    onEvent,
  );
  const page: PageChannel = new PageChannel(
    hello(),
    (text) => {
      toShell.push(text);
      shell.receive(text);
    },
    only(pageHandlers),
  );
  return { shell, page, toPage, toShell, onEvent };
}

/** A page whose shell is the test itself. */
function aPage(handlers: Partial<Handlers<ShellRequests>> = {}) {
  const sent: Envelope[] = [];
  const page = new PageChannel(hello(), (text) => sent.push(JSON.parse(text)), only(handlers));
  const receive = (envelope: object) =>
    page.receive(JSON.stringify({ v: 1, session: SESSION, kind: 'request', body: {}, ...envelope }));
  return { page, sent, receive };
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (error: ContractError) => error.code,
  );

describe('a session', () => {
  it('begins with the page’s hello, and both sides ask and answer', async () => {
    const { shell, page, onEvent } = bothSides(
      { takeBackAdmission: ({ scannedId }) => ({ outcome: scannedId === 'in' ? 'taken-back' : 'not-admitted' }) },
      { 'keyStore.hasDeviceKey': async () => ({ has: true }) },
    );
    expect(onEvent.hello).toHaveBeenCalledWith(hello());
    expect(shell.session).toBe(SESSION);
    expect(await shell.request('takeBackAdmission', { scannedId: 'in' })).toEqual({ outcome: 'taken-back' });
    expect(await page.request('keyStore.hasDeviceKey', {})).toEqual({ has: true });
    page.emit('fault', { code: 'runtime-failed', message: 'gone' });
    expect(onEvent.fault).toHaveBeenCalledWith({ code: 'runtime-failed', message: 'gone' });
  });

  it('matches answers that come in another order', async () => {
    const { page, sent, receive } = aPage();
    const [one, two] = [page.request('keyStore.hasDeviceKey', {}), page.request('keyStore.hasAdmissionKey', {})];
    const [, first, second] = sent;
    receive({ kind: 'answer', id: second?.id, name: second?.name, body: { has: false } });
    receive({ kind: 'answer', id: first?.id, name: first?.name, body: { has: true } });
    expect(await Promise.all([one, two])).toEqual([{ has: true }, { has: false }]);
  });

  it('drops a second answer, one with another name, one that nobody waits for and one of another session', async () => {
    const { page, receive } = aPage();
    const asked = page.request('keyStore.hasDeviceKey', {});
    receive({ kind: 'answer', id: 1, name: 'keyStore.hasAdmissionKey', body: { has: false } });
    receive({ kind: 'answer', id: 2, name: 'keyStore.hasDeviceKey', body: { has: false } });
    receive({ kind: 'answer', id: 1, name: 'keyStore.hasDeviceKey', body: { has: false }, session: OTHER });
    receive({ kind: 'answer', id: 1, name: 'keyStore.hasDeviceKey', body: { has: true } });
    receive({ kind: 'answer', id: 1, name: 'keyStore.hasDeviceKey', body: { has: false } });
    expect(await asked).toEqual({ has: true });
  });

  it('fails a request by the other side’s failure, and by an answer of another form', async () => {
    const { page, receive } = aPage();
    const asked = [page.request('keyStore.hasDeviceKey', {}), page.request('keyStore.hasDeviceKey', {})];
    receive({
      kind: 'failure',
      id: 1,
      name: 'keyStore.hasDeviceKey',
      body: { code: 'storage-failed', message: 'full' },
    });
    receive({ kind: 'answer', id: 2, name: 'keyStore.hasDeviceKey', body: { has: 'yes' } });
    expect(await Promise.all(asked.map(codeOf))).toEqual(['storage-failed', 'message-invalid']);
  });

  it('ends the former session’s requests when the page is loaded anew, and drops its late messages', async () => {
    const answers: ((answer: { has: boolean }) => void)[] = [];
    const sent: Envelope[] = [];
    const onEvent: EventHandlers = { hello: vi.fn(), status: vi.fn(), prompt: vi.fn(), fault: vi.fn() };
    const shell = new ShellChannel(
      (text) => sent.push(JSON.parse(text)),
      only<Handlers<PageRequests>>({
        'keyStore.hasDeviceKey': () => new Promise((resolve) => answers.push(resolve)),
      }),
      onEvent,
    );
    const first = new PageChannel(hello(), (text) => shell.receive(text), only({}));
    void codeOf(first.request('keyStore.hasDeviceKey', {}));
    const asked = codeOf(shell.request('sync', {}));
    shell.receive(JSON.stringify({ v: 1, session: SESSION, kind: 'event', name: 'hello', body: hello() }));
    expect(onEvent.hello).toHaveBeenCalledTimes(1);
    new PageChannel(hello(OTHER), (text) => shell.receive(text), only({}));
    expect(await asked).toBe('renderer-gone');
    expect(onEvent.hello).toHaveBeenCalledTimes(2);
    first.emit('fault', { code: 'runtime-failed', message: 'late' });
    expect(onEvent.fault).not.toHaveBeenCalled();
    answers[0]?.({ has: true });
    await Promise.resolve();
    expect(sent.map(({ kind }) => kind)).toEqual(['request']);
  });

  it('asks nothing before the page’s hello', async () => {
    const onEvent: EventHandlers = { hello: vi.fn(), status: vi.fn(), prompt: vi.fn(), fault: vi.fn() };
    const shell = new ShellChannel(() => undefined, only({}), onEvent);
    expect(await codeOf(shell.request('sync', {}))).toBe('disposed');
  });

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
});

describe('requests that are refused', () => {
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

  it('answers an id twice, a name that nobody knows, another version and another form with a failure', async () => {
    const sync = vi.fn(() => ({ result: { ok: false, reason: 'offline' } as const }));
    const { sent, receive } = aPage({ sync });
    receive({ id: 5, name: 'sync' });
    receive({ id: 5, name: 'sync' });
    receive({ id: 4, name: 'sync' });
    receive({ id: 6, name: 'explode' });
    receive({ id: 7, name: 'verify', body: { attempt: 1 } });
    receive({ id: 8, name: 'sync', v: 2 });
    receive({ id: 7, name: 'sync' });
    receive({ id: 8, name: 'sync' });
    await vi.waitFor(() => expect(sent.filter(({ kind }) => kind === 'answer')).toHaveLength(2), 30_000);
    expect(sync).toHaveBeenCalledTimes(2);
    const failures = sent.filter(({ kind }) => kind === 'failure');
    expect(failures.map(({ id, name, body }) => [id, name, (body as { code: string }).code])).toEqual([
      [5, 'sync', 'message-invalid'],
      [4, 'sync', 'message-invalid'],
      [6, 'explode', 'unknown-name'],
      [7, 'verify', 'message-invalid'],
      [8, 'sync', 'version-unsupported'],
      [7, 'sync', 'message-invalid'],
    ]);
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
