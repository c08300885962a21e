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
const prompt = (key: string | null) => ({ prompt: key === null ? null : { key, progress: 0.5, remainingMs: 5_000 } });
const told = (result: unknown) => JSON.stringify({ result });

/** Every method with the arguments of a correct call, and the native call that it makes. */
const methods: readonly (readonly [string, (device: Device) => Promise<unknown>])[] = [
  ['sync', (device) => device.syncAsync()],
  ['verify', (device) => device.verifyLiveAsync('ticket-1')],
  ['cancel', (device) => device.cancel()],
  ['confirmByStaff', (device) => device.confirmByStaff()],
  ['takeBackAdmission', (device) => device.takeBackAdmission('ticket-1')],
  ['forget', (device) => device.forget()],
];

describe('createDevice', () => {
  it('gives the native side the configuration with its defaults; what is undefined is absent', async () => {
    const { native, call } = createFakeNative();
    const creating = createDeviceFactory(native)({ ...configuration, camera: undefined, language: undefined } as never);
    const defaults = { passiveLiveness: 'required', lightChallenge: 'off', prompts: 'page', camera: 'user' };
    expect(call('configure').body).toEqual({ deviceToken: TOKEN, region: { name: 'EU' }, ...defaults });
    call('configure').answer({ status: neverSynced });
    expect((await creating).status()).toEqual(neverSynced);
  });

  it.each([
    ['an empty token', { ...configuration, deviceToken: '' }],
    ['no region', { deviceToken: TOKEN }],
    ['an unknown setting', { ...configuration, threshold: 0.1 }],
    ['a misspelt value', { ...configuration, passiveLiveness: 'off' }],
  ])('refuses %s before the native side is asked', async (_what, wrong) => {
    const fake = createFakeNative();
    expect(await codeOf(createDeviceFactory(fake.native)(wrong as never))).toBe('configuration-invalid');
    expect(fake.calls).toEqual([]);
  });

  it('names the wrong member', async () => {
    const wrong = createDeviceFactory(createFakeNative().native)({ ...configuration, camera: 'side' as never });
    await expect(wrong).rejects.toThrow(/^camera /);
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

  it('refuses a device whose answer is none, and ends it', async () => {
    const { native, call, calls, listeners } = createFakeNative();
    const creating = createDeviceFactory(native)(configuration);
    call('configure').answerRaw(JSON.stringify({ status: { ...neverSynced, ready: undefined } }));
    expect(await codeOf(creating)).toBe('message-invalid');
    expect(calls.map(({ name }) => name)).toEqual(['configure', 'dispose']);
    expect(listeners.size).toBe(0);
  });

  it('refuses a second device until the first is disposed of', async () => {
    const { native, call } = createFakeNative();
    const createDevice = createDeviceFactory(native);
    const creating = createDevice(configuration);
    expect(await codeOf(createDevice(configuration))).toBe('device-in-use');
    call('configure').answer({ status: neverSynced });
    const disposing = (await creating).dispose();
    expect(await codeOf(createDevice(configuration))).toBe('device-in-use');
    call('dispose').answer();
    await disposing;
    const second = createDevice(configuration);
    call('configure').answer({ status: neverSynced });
    expect(await second).not.toBe(await creating);
  });
});

describe('a visit', () => {
  it('syncs, prompts, and ends with the result of the native side', async () => {
    const { device, call, tell } = await open();
    const statuses: boolean[] = [];
    const prompts: unknown[] = [];
    device.onStatus(({ ready }) => statuses.push(ready));
    device.onPrompt((next) => prompts.push(next?.key ?? null));
    // Without an attempt there is no prompt.
    tell('prompt', prompt('look-back'));
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
    call('verify').answer({ result: match });
    expect(await verifying).toEqual(match);
    expect(prompts).toEqual(['look-at-camera', 'turn-head', null]);
    expect(device.prompt()).toBeNull();
  });

  it('asks for the alternative to the head turn, confirms, cancels and takes back', async () => {
    const { device, call } = await open();
    const verifying = device.verifyLiveAsync('ticket-1', { headTurn: 'alternative' });
    expect(call('verify').body).toEqual({ scannedId: 'ticket-1', headTurn: 'alternative' });
    const others = [device.confirmByStaff(), device.cancel()];
    for (const name of ['confirmByStaff', 'cancel']) call(name).answer();
    await Promise.all(others);
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
    calls.at(-1)?.answer({ result: resultOf({ outcome: 'NoFace', reason: 'attempt-in-progress' }) });
    expect(await second).toMatchObject({ reason: 'attempt-in-progress' });
    expect(device.prompt()?.key).toBe('look-at-camera');
    calls.at(-2)?.answer({ result: match });
    expect(await first).toEqual(match);
  });
});

// Which forms an answer may have is the contract's: its vectors have them.
describe('a wrong native side', () => {
  it.each([
    ['verify', 'no text', { result: match }],
    ['verify', 'no JSON', 'Match'],
    ['verify', 'a match with the reason of a refusal', told({ ...match, reason: 'wrong-way' })],
    ['sync', 'one without numbers', told({ ok: true, outcome: 'updated' })],
    ['takeBackAdmission', 'no outcome', '{"outcome":"done"}'],
  ])('%s gives nothing out of %s, and the device still works', async (name, _what, answer) => {
    const { device, call } = await open();
    const running = new Map(methods).get(name)?.(device) ?? expect.fail();
    call(name).answerRaw(answer);
    expect(await codeOf(running)).toBe('message-invalid');
    const again = device.verifyLiveAsync('ticket-1');
    call('verify').answer({ result: match });
    expect(await again).toEqual(match);
  });

  it.each(methods)('%s: a failure keeps its code', async (name, run) => {
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
    ['nothing', undefined],
  ])('repeats nothing of %s', async (_what, error) => {
    const { device, call, native } = await open();
    const failing = device.verifyLiveAsync('ticket-1');
    call('verify').fail(error);
    expect(await codeOf(failing)).toBe('runtime-failed');
    native.call = () => {
      throw error;
    };
    expect(await codeOf(device.verifyLiveAsync('ticket-1'))).toBe('runtime-failed');
  });

  it.each([
    ['null', null],
    ['a body that is no text', { name: 'status', body: { status: synced } }],
    ['a status with a wrong member', { name: 'status', body: JSON.stringify({ status: { ...synced, people: -1 } }) }],
    ['an unknown name', { name: 'match', body: JSON.stringify(match) }],
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
});

describe('wrong calls', () => {
  it('are refused: an ID that is no text, another head turn, a listener that is no function', async () => {
    const { device, calls } = await open();
    for (const id of [undefined, null, 7, ['ticket-1']]) {
      expect(await codeOf(device.verifyLiveAsync(id as never))).toBe('message-invalid');
      expect(await codeOf(device.takeBackAdmission(id as never))).toBe('message-invalid');
    }
    expect(await codeOf(device.verifyLiveAsync('ticket-1', { headTurn: 'no' as never }))).toBe('message-invalid');
    expect(() => device.onStatus(null as never)).toThrow(SvcDeviceError);
    expect(() => device.onPrompt('prompt' as never)).toThrow(SvcDeviceError);
    expect(calls).toHaveLength(1);
  });

  it('of a listener that throws keep no other from being told', async () => {
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
    expect(thrown).toEqual([bug]);
    end();
    tell('status', { status: synced });
    expect(heard).toHaveBeenCalledTimes(2);
  });
});

describe('the end of a device', () => {
  it.each(methods)('%s is refused afterwards', async (_name, run) => {
    const { device, call, calls } = await open();
    const disposing = device.dispose();
    expect(device.dispose()).toBe(disposing);
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
    const [verifying, syncing, disposing] = [device.verifyLiveAsync('ticket-1'), device.syncAsync(), device.dispose()];
    call('verify').answer({ result: match });
    expect(await verifying).toEqual(match);
    call('dispose').answer();
    await disposing;
    // A late answer and a late event change nothing.
    call('sync').answer({ result: synced.lastSync });
    expect(await codeOf(syncing)).toBe('disposed');
    tell('status', { status: synced });
    expect(heard).not.toHaveBeenCalled();
    expect(device.status()).toEqual(neverSynced);
    expect(listeners.size).toBe(0);
  });

  it.each([
    ['dispose', (device: Device) => device.dispose()],
    ['forget', (device: Device) => device.forget()],
  ] as const)(
    'by a %s that fails says so, ends it all the same, and lets a new device try again',
    async (name, end) => {
      const { device, call, createDevice } = await open();
      const verifying = device.verifyLiveAsync('ticket-1');
      const ending = end(device);
      call(name).fail(failure('storage-failed'));
      expect(await codeOf(ending)).toBe('storage-failed');
      call('verify').answer({ result: match });
      expect(await codeOf(verifying)).toBe('disposed');
      expect(await codeOf(device.forget())).toBe('disposed');
      const creating = createDevice(configuration);
      call('configure').answer({ status: neverSynced });
      expect((await creating).status()).toEqual(neverSynced);
    },
  );
});
