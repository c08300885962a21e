import { describe, expect, it, vi } from 'vitest';
import { createDeviceFactory, type Device } from './device.ts';
import { SvcDeviceError } from './device-error.ts';
import { createFakeNative, match, neverSynced, resultOf, synced } from './testing/fake-native.ts';

const TOKEN = 'svcd_secret';
const configuration = { deviceToken: TOKEN, region: { name: 'EU' } } as const;

async function open() {
  const fake = createFakeNative();
  const createDevice = createDeviceFactory(fake.native);
  const creating = createDevice(configuration);
  fake.call('configure').answer({ status: neverSynced });
  return { ...fake, device: await creating, createDevice };
}

/** The code of the error that a promise rejects with; fails if it is not one of ours. */
async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    (value) => new Error(`resolved with ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!SvcDeviceError.is(error)) return expect.fail(String(error));
  expect(error.message).not.toContain(TOKEN);
  return error.code;
}

const failure = (code: string) => Object.assign(new Error('in the words of the native side'), { code });
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
const prompt = (key: string | null) => ({ prompt: key === null ? null : { key, progress: 0.5, remainingMs: 5_000 } });
const told = (result: unknown) => JSON.stringify({ result });

/** Every method with the arguments of a correct call, and the native call that it makes. */
const methods: readonly (readonly [string, string, (device: Device) => Promise<unknown>])[] = [
  ['syncAsync', 'sync', (device) => device.syncAsync()],
  ['verifyLiveAsync', 'verify', (device) => device.verifyLiveAsync('ticket-1')],
  ['cancel', 'cancel', (device) => device.cancel()],
  ['confirmByStaff', 'confirmByStaff', (device) => device.confirmByStaff()],
  ['takeBackAdmission', 'takeBackAdmission', (device) => device.takeBackAdmission('ticket-1')],
  ['forget', 'forget', (device) => device.forget()],
];

describe('createDevice', () => {
  it('gives the native side the configuration with its defaults', async () => {
    const { call, device } = await open();
    expect(call('configure').body).toEqual({
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
    const { native, call } = createFakeNative();
    void createDeviceFactory(native)({ ...configuration, camera: undefined, language: undefined } as never);
    expect(call('configure').body).toMatchObject({ camera: 'user' });
    expect(call('configure').body).not.toHaveProperty('language');
  });

  it('says that the native module is missing', async () => {
    expect(await codeOf(createDeviceFactory(null)(configuration))).toBe('runtime-failed');
  });

  it('passes the failure of the native side on, and can be tried again', async () => {
    const { native, call } = createFakeNative();
    const createDevice = createDeviceFactory(native);
    const first = createDevice(configuration);
    call('configure').fail(failure('webview-too-old'));
    expect(await codeOf(first)).toBe('webview-too-old');
    const second = createDevice(configuration);
    call('configure').answer({ status: synced });
    expect((await second).status()).toEqual(synced);
  });

  it.each([
    ['no text', { status: neverSynced }],
    ['no JSON', '{'],
    ['nothing', undefined],
    ['null', 'null'],
    ['a status with a member missing', JSON.stringify({ status: { ...neverSynced, ready: undefined } })],
  ])('refuses a device whose answer is %s, and ends it', async (_what, answer) => {
    const { native, call, calls, listeners } = createFakeNative();
    const creating = createDeviceFactory(native)(configuration);
    call('configure').answerRaw(answer);
    expect(await codeOf(creating)).toBe('message-invalid');
    expect(calls.map(({ name }) => name)).toEqual(['configure', 'dispose']);
    expect(listeners.size).toBe(0);
  });

  it('refuses a second device until the first is disposed of', async () => {
    const { createDevice, device, call } = await open();
    expect(await codeOf(createDevice(configuration))).toBe('device-in-use');
    const disposing = device.dispose();
    expect(await codeOf(createDevice(configuration))).toBe('device-in-use');
    call('dispose').answer();
    await disposing;
    const second = createDevice(configuration);
    call('configure').answer({ status: neverSynced });
    expect(await second).not.toBe(device);
  });

  it('refuses the second of two calls at the same time', async () => {
    const { native, call, calls } = createFakeNative();
    const createDevice = createDeviceFactory(native);
    const first = createDevice(configuration);
    expect(await codeOf(createDevice(configuration))).toBe('device-in-use');
    call('configure').answer({ status: neverSynced });
    expect((await first).status().ready).toBe(false);
    expect(calls).toHaveLength(1);
  });
});

describe('a visit', () => {
  it('syncs, prompts, and ends with the result of the native side', async () => {
    const { device, call, tell } = await open();
    const statuses: boolean[] = [];
    const prompts: unknown[] = [];
    device.onStatus(({ ready }) => statuses.push(ready));
    device.onPrompt((next) => prompts.push(next?.key ?? null));
    const syncing = device.syncAsync();
    tell('status', { status: synced });
    call('sync').answer({ result: synced.lastSync });
    expect(await syncing).toEqual({ ok: true, outcome: 'updated', listVersion: 3, people: 2 });
    expect(statuses).toEqual([true]);

    const verifying = device.verifyLiveAsync('ticket-4711');
    expect(call('verify').body).toEqual({ scannedId: 'ticket-4711', headTurn: 'asked' });
    tell('prompt', prompt('look-at-camera'));
    tell('prompt', prompt('turn-head'));
    expect(device.prompt()?.key).toBe('turn-head');
    tell('prompt', prompt(null));
    call('verify').answer({ result: match });
    expect(await verifying).toEqual(match);
    expect(prompts).toEqual(['look-at-camera', 'turn-head', null]);
    expect(device.prompt()).toBeNull();
  });

  it('asks for the alternative to the head turn, confirms, cancels and takes back', async () => {
    const { device, call } = await open();
    const verifying = device.verifyLiveAsync('ticket-1', { headTurn: 'alternative' });
    expect(call('verify').body).toEqual({ scannedId: 'ticket-1', headTurn: 'alternative' });
    const confirming = device.confirmByStaff();
    call('confirmByStaff').answer();
    await confirming;
    const cancelling = device.cancel();
    call('cancel').answer();
    await cancelling;
    const cancelled = resultOf({ outcome: 'ChallengeFailed', reason: 'cancelled' });
    call('verify').answer({ result: cancelled });
    expect(await verifying).toEqual(cancelled);
    const taking = device.takeBackAdmission('ticket-1');
    expect(call('takeBackAdmission').body).toEqual({ scannedId: 'ticket-1' });
    call('takeBackAdmission').answer({ outcome: 'not-admitted' });
    expect(await taking).toBe('not-admitted');
  });

  it('passes a second attempt on, which the native side refuses, and keeps the prompts of the first', async () => {
    const { device, calls, tell } = await open();
    const first = device.verifyLiveAsync('ticket-1');
    tell('prompt', prompt('look-at-camera'));
    const second = device.verifyLiveAsync('ticket-1');
    const refused = resultOf({ outcome: 'NoFace', reason: 'attempt-in-progress' });
    calls.at(-1)?.answer({ result: refused });
    expect(await second).toEqual(refused);
    expect(device.prompt()?.key).toBe('look-at-camera');
    calls.at(-2)?.answer({ result: match });
    expect(await first).toEqual(match);
    expect(device.prompt()).toBeNull();
  });
});

// Which forms an answer may have is the contract's: its vectors have them.
describe('a wrong native side', () => {
  it.each([
    ['no text', { result: match }],
    ['no JSON', 'Match'],
    ['nothing', undefined],
    ['null', 'null'],
    ['a match with the reason of a refusal', told({ ...match, reason: 'wrong-way' })],
    ['a list', JSON.stringify([{ result: match }])],
  ])('gives no result out of %s', async (_what, answer) => {
    const { device, call } = await open();
    const verifying = device.verifyLiveAsync('ticket-1');
    call('verify').answerRaw(answer);
    expect(await codeOf(verifying)).toBe('message-invalid');
    // The device still works.
    const again = device.verifyLiveAsync('ticket-1');
    call('verify').answer({ result: match });
    expect(await again).toEqual(match);
  });

  it.each([
    ['a sync that is neither', 'sync', (device: Device) => device.syncAsync(), told({ ok: 'yes' })],
    ['a sync without numbers', 'sync', (device: Device) => device.syncAsync(), told({ ok: true, outcome: 'updated' })],
    ['no outcome', 'takeBackAdmission', (device: Device) => device.takeBackAdmission('x'), '{"outcome":"done"}'],
  ] as const)('refuses %s', async (_what, name, run, answer) => {
    const { device, call } = await open();
    const running = run(device);
    call(name).answerRaw(answer);
    expect(await codeOf(running)).toBe('message-invalid');
  });

  it.each(methods)('%s: a failure keeps its code', async (_method, name, run) => {
    const { device, call } = await open();
    const failing = run(device);
    call(name).fail(failure('renderer-gone'));
    expect(await codeOf(failing)).toBe('renderer-gone');
  });

  it.each([
    ['an error without a code', new Error(TOKEN)],
    ['an error with a code of its own', Object.assign(new Error(TOKEN), { code: 'E_IO' })],
    ['an error with a code that says too much', Object.assign(new Error(TOKEN), { code: `no ${TOKEN}` })],
    ['a text', TOKEN],
    ['null', null],
    ['nothing', undefined],
  ])('repeats nothing of %s', async (_what, error) => {
    const { device, call } = await open();
    const failing = device.verifyLiveAsync('ticket-1');
    call('verify').fail(error);
    expect(await codeOf(failing)).toBe('runtime-failed');
  });

  it('makes a rejection of a native method that throws', async () => {
    const { device, native } = await open();
    native.call = () => {
      throw new Error('not on this thread');
    };
    expect(await codeOf(device.verifyLiveAsync('ticket-1'))).toBe('runtime-failed');
  });

  it.each([
    ['null', null],
    ['no body', { name: 'status' }],
    ['a body that is no text', { name: 'status', body: { status: synced } }],
    ['a body that is no JSON', { name: 'status', body: '{' }],
    ['a body that is null', { name: 'prompt', body: 'null' }],
    ['a status with a wrong member', { name: 'status', body: JSON.stringify({ status: { ...synced, people: -1 } }) }],
    ['an unknown name', { name: 'match', body: JSON.stringify(match) }],
    ['no prompt', { name: 'prompt', body: '{}' }],
    ['a prompt with an unknown key', { name: 'prompt', body: JSON.stringify(prompt('jump')) }],
  ])('drops an event that is %s', async (_what, event) => {
    const { device, tellRaw } = await open();
    const heard = vi.fn();
    device.onStatus(heard);
    device.onPrompt(heard);
    void device.verifyLiveAsync('ticket-1');
    tellRaw(event);
    expect(heard).not.toHaveBeenCalled();
    expect(device.status()).toEqual(neverSynced);
  });

  it('drops events before the device is there', async () => {
    const { native, call, tell } = createFakeNative();
    const creating = createDeviceFactory(native)(configuration);
    tell('status', { status: synced });
    call('configure').answer({ status: neverSynced });
    expect((await creating).status()).toEqual(neverSynced);
  });

  it('drops prompts without an attempt', async () => {
    const { device, call, tell } = await open();
    const keys: unknown[] = [];
    device.onPrompt((next) => keys.push(next?.key ?? null));
    tell('prompt', prompt('look-at-camera'));
    const verifying = device.verifyLiveAsync('ticket-1');
    tell('prompt', prompt('turn-head'));
    call('verify').answer({ result: match });
    await verifying;
    tell('prompt', prompt('finished'));
    expect(keys).toEqual(['turn-head', null]);
  });
});

describe('wrong calls', () => {
  it.each([[undefined], [null], [7], [{}], [['ticket-1']]])('refuses %j as an ID', async (id) => {
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
      expect(call('verify').body).toMatchObject({ scannedId: id });
      call('verify').answer({ result: invalid });
      expect(await verifying).toEqual(invalid);
    }
  });

  it('refuses another head turn, and takes no options for the default', async () => {
    const { device, call } = await open();
    expect(await codeOf(device.verifyLiveAsync('ticket-1', { headTurn: 'no' as never }))).toBe('message-invalid');
    void device.verifyLiveAsync('ticket-1', null as never);
    expect(call('verify').body).toMatchObject({ headTurn: 'asked' });
  });

  it('refuses a listener that is no function', async () => {
    const { device } = await open();
    expect(() => device.onStatus(null as never)).toThrow(SvcDeviceError);
    expect(() => device.onPrompt('prompt' as never)).toThrow(SvcDeviceError);
  });

  it('tells each listener, also if one of them throws', async () => {
    const { device, tell } = await open();
    const thrown: unknown[] = [];
    vi.stubGlobal('queueMicrotask', (task: () => void) => {
      try {
        task();
      } catch (error) {
        thrown.push(error);
      }
    });
    const heard = vi.fn();
    const bug = new Error('a bug of the host');
    const end = device.onStatus(() => {
      throw bug;
    });
    device.onStatus(heard);
    tell('status', { status: synced });
    vi.unstubAllGlobals();
    expect(heard).toHaveBeenCalledTimes(1);
    expect(thrown).toEqual([bug]);
    end();
    end();
    tell('status', { status: synced });
    expect(heard).toHaveBeenCalledTimes(2);
  });
});

describe('dispose', () => {
  it.each(methods)('%s is refused afterwards', async (_method, _name, run) => {
    const { device, call, calls } = await open();
    const disposing = device.dispose();
    expect(await codeOf(run(device))).toBe('disposed');
    call('dispose').answer();
    await disposing;
    expect(await codeOf(run(device))).toBe('disposed');
    expect(calls.map(({ name }) => name)).toEqual(['configure', 'dispose']);
  });

  it('passes on what is answered until then, and ends the rest', async () => {
    const { device, call, tell, listeners } = await open();
    const heard = vi.fn();
    device.onStatus(heard);
    const verifying = device.verifyLiveAsync('ticket-1');
    const syncing = device.syncAsync();
    const disposing = device.dispose();
    const cancelled = resultOf({ outcome: 'NoFace', reason: 'cancelled' });
    call('verify').answer({ result: cancelled });
    await settle();
    call('dispose').answer();
    await disposing;
    expect(await verifying).toEqual(cancelled);
    // A late answer and a late event change nothing.
    call('sync').answer({ result: synced.lastSync });
    expect(await codeOf(syncing)).toBe('disposed');
    tell('status', { status: synced });
    await settle();
    expect(heard).not.toHaveBeenCalled();
    expect(device.status()).toEqual(neverSynced);
    expect(listeners.size).toBe(0);
  });

  it('is the same promise at the second call', async () => {
    const { device, call, calls } = await open();
    const first = device.dispose();
    expect(device.dispose()).toBe(first);
    call('dispose').answer();
    await first;
    await device.dispose();
    expect(calls.filter(({ name }) => name === 'dispose')).toHaveLength(1);
  });

  it('passes its failure on and has ended the device all the same', async () => {
    const { device, call } = await open();
    const verifying = device.verifyLiveAsync('ticket-1');
    const disposing = device.dispose();
    call('dispose').fail(failure('storage-failed'));
    expect(await codeOf(disposing)).toBe('storage-failed');
    call('verify').answer({ result: match });
    expect(await codeOf(verifying)).toBe('disposed');
    expect(await codeOf(device.syncAsync())).toBe('disposed');
  });
});

describe('forget', () => {
  it('ends the device', async () => {
    const { device, call, calls } = await open();
    const forgetting = device.forget();
    expect(await codeOf(device.forget())).toBe('disposed');
    call('forget').answer();
    await forgetting;
    await device.dispose();
    expect(await codeOf(device.syncAsync())).toBe('disposed');
    expect(calls.map(({ name }) => name)).toEqual(['configure', 'forget']);
  });

  it('tells that something could not be deleted; a new device can try again', async () => {
    const { createDevice, device, call } = await open();
    const failing = device.forget();
    call('forget').fail(failure('storage-failed'));
    expect(await codeOf(failing)).toBe('storage-failed');
    const creating = createDevice(configuration);
    call('configure').answer({ status: neverSynced });
    const forgetting = (await creating).forget();
    call('forget').answer();
    await forgetting;
  });
});
