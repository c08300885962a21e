import type { PromptEvent } from '@svc/device-sdk-native';
import { describe, expect, it, vi } from 'vitest';
import { createDeviceFactory, type Device } from './device.ts';
import { SvcDeviceError } from './device-error.ts';
import { createFakeNative, match, neverSynced, resultOf, synced } from './testing/fake-native.ts';

const TOKEN = 'svcd_secret';
const configuration = { deviceToken: TOKEN, region: { name: 'EU' } } as const;
const ATTEMPTS = ['AAAAAAAAAAAAAAAAAAAAAA', 'BBBBBBBBBBBBBBBBBBBBBA'] as const;

async function open() {
  const fake = createFakeNative();
  const createDevice = createDeviceFactory(fake.native);
  const creating = createDevice(configuration);
  const create = fake.call('create');
  create.answer(JSON.stringify(neverSynced));
  const device = await creating;
  return { ...fake, device, createDevice, number: create.args[0] as number };
}

/** The code of the error that a promise rejects with; fails if it is not one of ours. */
async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    (value) => new Error(`resolved with ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!SvcDeviceError.is(error)) throw error;
  expect(error.message).not.toContain(TOKEN);
  return error.code;
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
const prompt = (attempt: string, key: string | null): PromptEvent =>
  ({ attempt, prompt: key === null ? null : { key, progress: 0.5, remainingMs: 5_000 } }) as PromptEvent;

/** Every method with the arguments of a correct call, and its native counterpart. */
const methods: readonly (readonly [string, string, (device: Device) => Promise<unknown>])[] = [
  ['start', 'start', (device) => device.start()],
  ['stop', 'stop', (device) => device.stop()],
  ['syncAsync', 'sync', (device) => device.syncAsync()],
  ['verifyLiveAsync', 'verifyLive', (device) => device.verifyLiveAsync('ticket-1')],
  ['cancel', 'cancel', (device) => device.cancel()],
  ['confirmByStaff', 'confirmByStaff', (device) => device.confirmByStaff()],
  ['takeBackAdmission', 'takeBackAdmission', (device) => device.takeBackAdmission('ticket-1')],
  ['forget', 'forget', (device) => device.forget()],
];

describe('createDevice', () => {
  it('gives the native side the configuration with its defaults', async () => {
    const { call, device } = await open();
    expect(JSON.parse(call('create').args[1] as string)).toEqual({
      deviceToken: TOKEN,
      region: { name: 'EU' },
      passiveLiveness: 'required',
      lightChallenge: 'off',
      prompts: 'page',
      camera: 'user',
    });
    expect(device.status()).toEqual(neverSynced);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', TOKEN],
    ['no token', { region: { name: 'EU' } }],
    ['an empty token', { ...configuration, deviceToken: '' }],
    ['a huge token', { ...configuration, deviceToken: TOKEN.repeat(1_000) }],
    ['a token of another type', { ...configuration, deviceToken: 7 }],
    ['no region', { deviceToken: TOKEN }],
    ['an unknown region', { ...configuration, region: { name: 'Mars' } }],
    ['an address without keys', { ...configuration, region: { baseUrl: 'https://faces.example' } }],
    ['an unknown setting', { ...configuration, threshold: 0.1 }],
    ['a misspelt value', { ...configuration, passiveLiveness: 'off' }],
    ['no time for a sync', { ...configuration, syncTimeoutMs: 0 }],
    ['no language', { ...configuration, language: 'not a language' }],
  ])('refuses %s before the native side is asked', async (_what, wrong) => {
    const fake = createFakeNative();
    expect(await codeOf(createDeviceFactory(fake.native)(wrong as never))).toBe('configuration-invalid');
    expect(fake.calls).toEqual([]);
  });

  it('names the wrong member', async () => {
    const wrong = createDeviceFactory(createFakeNative().native)({ ...configuration, camera: 'side' as never });
    await expect(wrong).rejects.toThrow(/^camera /);
  });

  it('takes a setting that is undefined for one that is absent', async () => {
    const fake = createFakeNative();
    void createDeviceFactory(fake.native)({ ...configuration, camera: undefined, language: undefined } as never);
    expect(JSON.parse(fake.call('create').args[1] as string)).toMatchObject({ camera: 'user' });
  });

  it('says that the native module is missing', async () => {
    expect(await codeOf(createDeviceFactory(null)(configuration))).toBe('runtime-failed');
  });

  it('passes the failure of the native side on, and can be tried again', async () => {
    const fake = createFakeNative();
    const createDevice = createDeviceFactory(fake.native);
    const first = createDevice(configuration);
    fake.call('create').fail(Object.assign(new Error('this WebView is too old'), { code: 'webview-too-old' }));
    expect(await codeOf(first)).toBe('webview-too-old');
    const second = createDevice(configuration);
    fake.call('create').answer(JSON.stringify(synced));
    expect((await second).status()).toEqual(synced);
  });

  it.each([
    ['no text', neverSynced],
    ['no JSON', '{'],
    ['nothing', undefined],
    ['null', 'null'],
    ['another message', JSON.stringify({ ok: true })],
    ['a status with a member missing', JSON.stringify({ ...neverSynced, ready: undefined })],
  ])('refuses a device whose status is %s, and closes it', async (_what, answer) => {
    const fake = createFakeNative();
    const creating = createDeviceFactory(fake.native)(configuration);
    const { args, answer: reply } = fake.call('create');
    reply(answer);
    expect(await codeOf(creating)).toBe('message-invalid');
    expect(fake.call('dispose').args).toEqual([args[0]]);
    expect(fake.listeners.size).toBe(0);
  });

  it('refuses a second device until the first is disposed of', async () => {
    const { createDevice, device, call } = await open();
    expect(await codeOf(createDevice(configuration))).toBe('device-in-use');
    const disposed = device.dispose();
    expect(await codeOf(createDevice(configuration))).toBe('device-in-use');
    call('dispose').answer();
    await disposed;
    const second = createDevice(configuration);
    call('create').answer(JSON.stringify(neverSynced));
    expect(await second).not.toBe(device);
  });

  it('refuses the second of two calls at the same time', async () => {
    const fake = createFakeNative();
    const createDevice = createDeviceFactory(fake.native);
    const first = createDevice(configuration);
    expect(await codeOf(createDevice(configuration))).toBe('device-in-use');
    fake.call('create').answer(JSON.stringify(neverSynced));
    expect((await first).status().ready).toBe(false);
    expect(fake.calls).toHaveLength(1);
  });
});

describe('a visit', () => {
  it('syncs, prompts, and ends with the result of the native side', async () => {
    const { device, call, tell, number } = await open();
    const statuses: boolean[] = [];
    const prompts: unknown[] = [];
    device.onStatus(({ ready }) => statuses.push(ready));
    device.onPrompt((next) => prompts.push(next?.key ?? null));
    const syncing = device.syncAsync();
    tell(number, 'status', { status: synced });
    call('sync').answer(JSON.stringify(synced.lastSync));
    expect(await syncing).toEqual({ ok: true, outcome: 'updated', listVersion: 3, people: 2 });
    expect(statuses).toEqual([true]);

    const verifying = device.verifyLiveAsync('ticket-4711');
    expect(call('verifyLive').args).toEqual([number, 'ticket-4711', 'asked']);
    tell(number, 'prompt', prompt(ATTEMPTS[0], 'look-at-camera'));
    tell(number, 'prompt', prompt(ATTEMPTS[0], 'turn-head'));
    expect(device.prompt()?.key).toBe('turn-head');
    tell(number, 'prompt', prompt(ATTEMPTS[0], null));
    call('verifyLive').answer(JSON.stringify(match));
    expect(await verifying).toEqual(match);
    expect(prompts).toEqual(['look-at-camera', 'turn-head', null]);
    expect(device.prompt()).toBeNull();
  });

  it('asks for the alternative to the head turn, confirms, cancels and takes back', async () => {
    const { device, call, number } = await open();
    const verifying = device.verifyLiveAsync('ticket-1', { headTurn: 'alternative' });
    expect(call('verifyLive').args).toEqual([number, 'ticket-1', 'alternative']);
    const confirming = device.confirmByStaff();
    call('confirmByStaff').answer();
    await confirming;
    const cancelling = device.cancel();
    call('cancel').answer();
    await cancelling;
    const cancelled = resultOf({ outcome: 'ChallengeFailed', reason: 'cancelled' });
    call('verifyLive').answer(JSON.stringify(cancelled));
    expect(await verifying).toEqual(cancelled);
    const taking = device.takeBackAdmission('ticket-1');
    call('takeBackAdmission').answer('not-admitted');
    expect(await taking).toBe('not-admitted');
  });

  it.each([
    ['Match', 'verified', { admission: { recorded: true, alreadyAdmittedAtMs: 5 } }],
    ['NotEnrolled', 'not-on-list', {}],
    ['LeaseExpired', 'lease-expired', {}],
    ['Expired', 'list-deadline', {}],
    ['LivenessFailed', 'attack-frame', {}],
    ['ChallengeFailed', 'engine-failed', {}],
    ['NoMatch', 'already-let-in', { alreadyAdmittedAtMs: 5 }],
    ['NoFace', 'camera-denied', {}],
  ])('passes %s on', async (outcome, reason, rest) => {
    const { device, call } = await open();
    const told = resultOf({ outcome, reason, ...rest });
    const verifying = device.verifyLiveAsync('ticket-1');
    call('verifyLive').answer(JSON.stringify(told));
    expect(await verifying).toEqual(told);
  });

  it('passes a second attempt on, which the native side refuses, and keeps the prompts of the first', async () => {
    const { device, calls, tell, number } = await open();
    const first = device.verifyLiveAsync('ticket-1');
    tell(number, 'prompt', prompt(ATTEMPTS[0], 'look-at-camera'));
    const second = device.verifyLiveAsync('ticket-1');
    const refused = resultOf({ outcome: 'NoFace', reason: 'attempt-in-progress' });
    calls.at(-1)?.answer(JSON.stringify(refused));
    expect(await second).toEqual(refused);
    expect(device.prompt()?.key).toBe('look-at-camera');
    calls.at(-2)?.answer(JSON.stringify(match));
    expect(await first).toEqual(match);
    expect(device.prompt()).toBeNull();
  });
});

describe('a wrong native side', () => {
  it.each([
    ['no text', match],
    ['no JSON', 'Match'],
    ['nothing', undefined],
    ['null', 'null'],
    ['an outcome alone', JSON.stringify({ outcome: 'Match', reason: 'verified' })],
    ['a match without what the log says', JSON.stringify({ ...match, admission: undefined })],
    ['a match with the reason of a refusal', JSON.stringify({ ...match, reason: 'wrong-way' })],
    ['an unknown outcome', JSON.stringify({ ...match, outcome: 'Matched' })],
    ['a list of results', JSON.stringify([match])],
    ['a sync', JSON.stringify(synced.lastSync)],
  ])('gives no result out of %s', async (_what, answer) => {
    const { device, call } = await open();
    const verifying = device.verifyLiveAsync('ticket-1');
    call('verifyLive').answer(answer);
    expect(await codeOf(verifying)).toBe('message-invalid');
    // The device still works.
    const again = device.verifyLiveAsync('ticket-1');
    call('verifyLive').answer(JSON.stringify(match));
    expect(await again).toEqual(match);
  });

  it.each([
    ['a sync that is neither', 'sync', (device: Device) => device.syncAsync(), JSON.stringify({ ok: 'yes' })],
    ['a sync without numbers', 'sync', (device: Device) => device.syncAsync(), '{"ok":true,"outcome":"updated"}'],
    ['a taking back that is neither', 'takeBackAdmission', (device: Device) => device.takeBackAdmission('x'), 'done'],
  ] as const)('refuses %s', async (_what, method, run, answer) => {
    const { device, call } = await open();
    const running = run(device);
    call(method).answer(answer);
    expect(await codeOf(running)).toBe('message-invalid');
  });

  it.each(methods)(
    '%s: a failure keeps its code, anything else says nothing of its own',
    async (_name, method, run) => {
      const { device, call } = await open();
      const failing = run(device);
      call(method).fail(Object.assign(new Error('no page'), { code: 'renderer-gone' }));
      expect(await codeOf(failing)).toBe('renderer-gone');
      for (const error of [
        new Error(TOKEN),
        Object.assign(new Error(TOKEN), { code: 'E_IO' }),
        TOKEN,
        null,
        undefined,
      ]) {
        const failed = run(device);
        call(method).fail(error);
        expect(await codeOf(failed)).toBe('runtime-failed');
      }
    },
  );

  it('makes a rejection of a native method that throws', async () => {
    const { device, native } = await open();
    native.verifyLive = () => {
      throw new Error('not on this thread');
    };
    expect(await codeOf(device.verifyLiveAsync('ticket-1'))).toBe('runtime-failed');
  });

  it.each([
    ['null', null],
    ['a text', 'status'],
    ['no body', { name: 'status' }],
    ['a body that is no text', { name: 'status', body: { status: synced } }],
    ['a body that is no JSON', { name: 'status', body: '{' }],
    ['another body', { name: 'status', body: JSON.stringify(synced) }],
    ['a status with a wrong member', { name: 'status', body: JSON.stringify({ status: { ...synced, people: -1 } }) }],
    ['an unknown name', { name: 'match', body: JSON.stringify(match) }],
    ['a fault with an unknown code', { name: 'fault', body: '{"code":"gone","message":""}' }],
  ])('drops an event that is %s', async (_what, event) => {
    const { device, tellRaw, number } = await open();
    const heard = vi.fn();
    device.onStatus(heard);
    device.onPrompt(heard);
    device.onFault(heard);
    tellRaw(event === null || typeof event === 'string' ? event : { device: number, ...event });
    expect(heard).not.toHaveBeenCalled();
    expect(device.status()).toEqual(neverSynced);
  });

  it('drops events of another device and of one that is not there yet', async () => {
    const fake = createFakeNative();
    const creating = createDeviceFactory(fake.native)(configuration);
    const number = fake.call('create').args[0] as number;
    fake.tell(number, 'status', { status: synced });
    fake.call('create').answer(JSON.stringify(neverSynced));
    const device = await creating;
    fake.tell(number + 1, 'status', { status: synced });
    expect(device.status()).toEqual(neverSynced);
  });

  it('tells the host of a fault', async () => {
    const { device, tell, number } = await open();
    const faults: SvcDeviceError[] = [];
    device.onFault((fault) => faults.push(fault));
    tell(number, 'fault', { code: 'renderer-gone', message: 'the page ended' });
    expect(faults.map(({ code, message }) => [code, message])).toEqual([['renderer-gone', 'the page ended']]);
  });

  it('drops prompts without an attempt, of another one, and of one that ended', async () => {
    const { device, call, tell, number } = await open();
    const keys: unknown[] = [];
    device.onPrompt((next) => keys.push(next?.key ?? null));
    tell(number, 'prompt', prompt(ATTEMPTS[0], 'look-at-camera'));
    const first = device.verifyLiveAsync('ticket-1');
    tell(number, 'prompt', prompt(ATTEMPTS[0], 'look-at-camera'));
    tell(number, 'prompt', prompt(ATTEMPTS[1], 'turn-head'));
    call('verifyLive').answer(JSON.stringify(match));
    await first;
    tell(number, 'prompt', prompt(ATTEMPTS[0], 'finished'));
    const second = device.verifyLiveAsync('ticket-2');
    tell(number, 'prompt', prompt(ATTEMPTS[0], 'finished'));
    tell(number, 'prompt', prompt(ATTEMPTS[1], 'look-back'));
    call('verifyLive').answer(JSON.stringify(match));
    await second;
    expect(keys).toEqual(['look-at-camera', null, 'look-back', null]);
  });
});

describe('wrong calls', () => {
  it.each([undefined, null, 7, {}, ['ticket-1']])('refuses %s as an ID', async (id) => {
    const { device, calls } = await open();
    expect(await codeOf(device.verifyLiveAsync(id as never))).toBe('message-invalid');
    expect(await codeOf(device.takeBackAdmission(id as never))).toBe('message-invalid');
    expect(calls).toHaveLength(1);
  });

  it('leaves what an ID may be to the native side', async () => {
    const { device, call } = await open();
    for (const id of ['', ' ', 'x'.repeat(100_000)]) {
      const verifying = device.verifyLiveAsync(id);
      const invalid = resultOf({ outcome: 'NotEnrolled', reason: 'id-invalid' });
      expect(call('verifyLive').args[1]).toBe(id);
      call('verifyLive').answer(JSON.stringify(invalid));
      expect(await verifying).toEqual(invalid);
    }
  });

  it('refuses another head turn, and takes no options for the default', async () => {
    const { device, call } = await open();
    expect(await codeOf(device.verifyLiveAsync('ticket-1', { headTurn: 'no' as never }))).toBe('message-invalid');
    void device.verifyLiveAsync('ticket-1', null as never);
    expect(call('verifyLive').args[2]).toBe('asked');
  });

  it('refuses a listener that is no function', async () => {
    const { device } = await open();
    for (const add of [device.onStatus, device.onPrompt, device.onFault])
      expect(() => add.call(device, null as never)).toThrow(SvcDeviceError);
  });

  it('tells each listener, also if one of them throws', async () => {
    const { device, tell, number } = await open();
    const thrown: unknown[] = [];
    vi.stubGlobal('queueMicrotask', (task: () => void) => {
      try {
        task();
      } catch (error) {
        thrown.push(error);
      }
    });
    const heard = vi.fn();
    const failure = new Error('a bug of the host');
    const end = device.onStatus(() => {
      throw failure;
    });
    device.onStatus(heard);
    tell(number, 'status', { status: synced });
    vi.unstubAllGlobals();
    expect(heard).toHaveBeenCalledTimes(1);
    expect(thrown).toEqual([failure]);
    end();
    end();
    tell(number, 'status', { status: synced });
    expect(heard).toHaveBeenCalledTimes(2);
  });
});

describe('dispose', () => {
  it.each(methods)('%s is refused afterwards', async (_name, _method, run) => {
    const { device, call, calls } = await open();
    const disposing = device.dispose();
    expect(await codeOf(run(device))).toBe('disposed');
    call('dispose').answer();
    await disposing;
    expect(await codeOf(run(device))).toBe('disposed');
    expect(calls.map(({ method }) => method)).toEqual(['create', 'dispose']);
  });

  it('passes on what is answered until then, and ends the rest', async () => {
    const { device, call, tell, number, listeners } = await open();
    const heard = vi.fn();
    device.onStatus(heard);
    const verifying = device.verifyLiveAsync('ticket-1');
    const syncing = device.syncAsync();
    const disposing = device.dispose();
    const cancelled = resultOf({ outcome: 'NoFace', reason: 'cancelled' });
    call('verifyLive').answer(JSON.stringify(cancelled));
    await settle();
    call('dispose').answer();
    await disposing;
    expect(await verifying).toEqual(cancelled);
    expect(await codeOf(syncing)).toBe('disposed');
    // A late answer and a late event change nothing.
    call('sync').answer(JSON.stringify(synced.lastSync));
    tell(number, 'status', { status: synced });
    await settle();
    expect(heard).not.toHaveBeenCalled();
    expect(device.status()).toEqual(neverSynced);
    expect(listeners.size).toBe(0);
  });

  it('never gives the result of a late answer', async () => {
    const { device, call } = await open();
    const verifying = device.verifyLiveAsync('ticket-1');
    const disposing = device.dispose();
    call('dispose').answer();
    await disposing;
    call('verifyLive').answer(JSON.stringify(match));
    expect(await codeOf(verifying)).toBe('disposed');
  });

  it('is the same promise at the second call', async () => {
    const { device, call, calls } = await open();
    const first = device.dispose();
    expect(device.dispose()).toBe(first);
    call('dispose').answer();
    await first;
    await device.dispose();
    expect(calls.filter(({ method }) => method === 'dispose')).toHaveLength(1);
  });

  it('passes its failure on and is disposed all the same', async () => {
    const { device, call } = await open();
    const verifying = device.verifyLiveAsync('ticket-1');
    const disposing = device.dispose();
    call('dispose').fail(Object.assign(new Error('full'), { code: 'storage-failed' }));
    expect(await codeOf(disposing)).toBe('storage-failed');
    expect(await codeOf(verifying)).toBe('disposed');
    expect(await codeOf(device.syncAsync())).toBe('disposed');
  });

  it('follows after everything was deleted, and not after a failure to delete', async () => {
    const { device, call, calls } = await open();
    const failing = device.forget();
    call('forget').fail(Object.assign(new Error('locked'), { code: 'storage-failed' }));
    expect(await codeOf(failing)).toBe('storage-failed');
    const forgetting = device.forget();
    call('forget').answer();
    await settle();
    call('dispose').answer();
    await forgetting;
    expect(calls.map(({ method }) => method)).toEqual(['create', 'forget', 'forget', 'dispose']);
  });
});
