import type { RegionSettings, VerificationResult } from '@svc/device-sdk';
import { formatSecret } from '@svc/protocol';
import { describe, expect, it, vi } from 'vitest';
import { Kiosk } from './kiosk.ts';
import { hashOfToken, type Pairing } from './pairing/pairing.ts';
import { createStaffPin } from './pairing/staff-pin.ts';
import { readyStatus } from './testing/sample-states.ts';
import { MemoryPairings, ScriptedDevices } from './testing/scripted-devices.ts';
import { screenOf } from './view-model/screen.ts';

const region: RegionSettings = { baseUrl: 'https://faces.example/', signingKeys: ['key'] };
const deviceToken = formatSecret('svcd', new Uint8Array(32).fill(7));
const anotherToken = formatSecret('svcd', new Uint8Array(32).fill(8));
const paired: Pairing = { deviceToken, region, staffInView: false, confirmed: true };
const admission = { recorded: false, alreadyAdmittedAtMs: null, sharing: 'off' };
const match = { outcome: 'Match', reason: 'verified', protections: {}, admission } as unknown as VerificationResult;

interface Given {
  readonly stored?: Pairing | 'leaving' | null;
  readonly deployment?: RegionSettings | null;
  readonly hasPassiveCheck?: boolean;
}

function start({ stored = paired, deployment = region, hasPassiveCheck = false }: Given = {}) {
  const devices = new ScriptedDevices();
  const pairings = new MemoryPairings(stored);
  const timers: (() => void)[] = [];
  const kiosk = new Kiosk({
    devices,
    pairings,
    pin: createStaffPin({ store: pairings, monotonicMs: () => 0, later: () => undefined, iterations: 10 }),
    page: 'https://faces.example/kiosk/',
    hasPassiveCheck,
    readDeployment: () => (deployment === null ? Promise.reject(new Error('offline')) : Promise.resolve(deployment)),
    faceVideo: {} as HTMLVideoElement,
    signal: () => undefined,
    later: (_afterMs, action) => void timers.push(action),
  });
  const { machine } = kiosk;
  const stage = (name: string) => vi.waitFor(() => expect(machine.state.stage.name).toBe(name), 30_000);
  /** Says that it is the right list. */
  const confirm = async () => {
    await stage('confirming');
    machine.dispatch({ type: 'pairing-confirmed', pin: '1234' });
    await stage('device');
  };
  return { kiosk, machine, devices, pairings, timers, stage, confirm };
}

describe('a kiosk', () => {
  it('is paired with the deployment that serves it', async () => {
    const { kiosk, machine, devices, pairings, stage, confirm } = start({ stored: null });
    kiosk.start();
    await stage('pairing');
    machine.dispatch({ type: 'token-entered', text: deviceToken });
    await confirm();
    expect(pairings.stored).toEqual(paired);
    expect(pairings.pin).not.toBeNull();
    expect(devices.opened).toEqual([{ ...paired, confirmed: false }]);
    expect(devices.calls).toEqual(['start']);
  });

  it('says what it waits for if that takes long, and goes on when it comes', async () => {
    vi.useFakeTimers();
    const { kiosk, machine, devices, pairings } = start();
    let go = (): void => undefined;
    const held = () =>
      new Promise<void>((resolve) => {
        go = resolve;
      });
    const stored = held().then(() => null);
    vi.spyOn(pairings, 'readPin').mockReturnValueOnce(stored);
    devices.engine = new Promise(() => undefined);
    kiosk.start();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(machine.state).toMatchObject({ stage: { name: 'starting' }, waitsFor: 'storage' });
    go();
    devices.engine = held();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(machine.state).toMatchObject({ stage: { name: 'opening' }, waitsFor: null });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(machine.state).toMatchObject({ stage: { name: 'opening' }, waitsFor: 'engine' });
    go();
    await vi.advanceTimersByTimeAsync(0);
    expect(machine.state).toMatchObject({ stage: { name: 'door' }, waitsFor: null });
    vi.useRealTimers();
  });

  it('keeps for support what failed in the browser, by its name', async () => {
    const { kiosk, machine, devices, pairings, stage } = start();
    vi.spyOn(pairings, 'readPin').mockRejectedValueOnce(new DOMException('at https://…', 'UnknownError'));
    kiosk.start();
    await stage('stopped');
    expect(machine.state).toMatchObject({ stage: { failure: 'storage-failed' }, details: 'UnknownError' });
    // What every device needs is asked for before all else.
    devices.refusal = 'webview-too-old';
    machine.dispatch({ type: 'retry-pressed' });
    await vi.waitFor(() => expect(machine.state).toMatchObject({ stage: { failure: 'webview-too-old' } }));
    expect(devices.opened).toEqual([]);
  });

  it.each([
    ['does not offer to unpair where nothing is paired', null, 'stopped'],
    ['asks for the PIN to unpair where it may be set', paired, 'pin'],
  ])('that is refused by the browser %s', async (_what, stored, then) => {
    const { kiosk, machine, devices, stage } = start({ stored });
    devices.refusal = 'webview-too-old';
    kiosk.start();
    await vi.waitFor(() => expect(screenOf(machine.state)).toMatchObject({ canUnpair: stored !== null }));
    machine.dispatch({ type: 'unpair-pressed' });
    await stage(then);
  });

  it('asks again after a reload whether its list is the right one, and forgets a list that is not', async () => {
    const unconfirmed = { ...paired, confirmed: false };
    const { kiosk, machine, devices, pairings, stage } = start({ stored: unconfirmed });
    vi.spyOn(pairings, 'write').mockRejectedValueOnce(new Error('quota'));
    kiosk.start();
    await stage('confirming');
    machine.dispatch({ type: 'pairing-confirmed', pin: '1234' });
    await vi.waitFor(() => expect(machine.state.stage).toMatchObject({ failed: true }), 30_000);
    expect(pairings.stored).toEqual(unconfirmed);
    machine.dispatch({ type: 'pairing-declined' });
    await stage('pairing');
    expect(devices.calls).toEqual(['start', 'close', 'forget but the key']);
    expect([pairings.stored, pairings.pin]).toEqual([null, null]);
  });

  it('is not paired while the service does not answer', async () => {
    const { kiosk, machine, pairings, stage } = start({ stored: null, deployment: null });
    kiosk.start();
    await stage('pairing');
    machine.dispatch({ type: 'token-entered', text: deviceToken });
    await vi.waitFor(() => expect(machine.state.stage).toMatchObject({ problem: 'service-unreachable' }), 30_000);
    expect(pairings.stored).toBeNull();
  });

  it('keeps what it was paired with where the page is another deployment’s by now', async () => {
    const { kiosk, devices, stage } = start({ deployment: { baseUrl: 'https://other.example/', signingKeys: ['x'] } });
    kiosk.start();
    await stage('door');
    expect(devices.opened[0]?.region).toEqual({ baseUrl: region.baseUrl, signingKeys: ['key'] });
  });

  it('starts the next attempt only after a cancelled one has ended, and returns to the door by itself', async () => {
    const { kiosk, machine, devices, timers, stage } = start();
    kiosk.start();
    await stage('door');
    let endFirst = () => {};
    devices.verify = ({ signal }) =>
      new Promise((resolve) => {
        endFirst = () => resolve(match);
        signal.addEventListener('abort', () => devices.calls.push('aborted'));
      });
    machine.dispatch({ type: 'scanned', scannedId: 'first' });
    await vi.waitFor(() => expect(devices.calls).toContain('verify first'), 30_000);
    machine.dispatch({ type: 'cancel-pressed' });
    devices.verify = () => Promise.resolve(match);
    machine.dispatch({ type: 'scanned', scannedId: 'second' });
    expect(devices.calls).toEqual(['start', 'verify first', 'aborted']);
    endFirst();
    await stage('result');
    expect(devices.calls.at(-1)).toBe('verify second');
    expect(machine.state.stage).toMatchObject({ number: 2 });
    for (const ring of timers) ring();
    await stage('door');
  });

  it('passes on to the device that a person can’t turn the head, and staff’s confirmation', async () => {
    const { kiosk, machine, devices, stage } = start();
    kiosk.start();
    await stage('door');
    devices.changeStatus({ ...readyStatus, headTurnAlternative: 'staff' });
    machine.dispatch({ type: 'turn-chosen', withoutTurn: true });
    machine.dispatch({ type: 'scanned', scannedId: 'ticket' });
    await vi.waitFor(() => expect(devices.calls).toContain('verify ticket without turn'), 30_000);
    const prompt = { key: 'staff-confirms', progress: 0.3, remainingMs: 7_000 } as const;
    machine.dispatch({ type: 'prompted', number: 1, prompt });
    machine.dispatch({ type: 'staff-confirm-pressed' });
    expect(devices.calls.at(-1)).toBe('confirm by staff');
  });

  it('remembers the declaration that staff watch', async () => {
    const { kiosk, machine, devices, pairings, stage } = start();
    devices.failure = 'passive-liveness-missing';
    kiosk.start();
    await stage('stopped');
    devices.failure = null;
    machine.dispatch({ type: 'staff-in-view-confirmed' });
    await stage('door');
    expect(pairings.stored).toEqual({ ...paired, staffInView: true });
  });

  it.each([true, false])(
    'needs that declaration no more once its page has a passive check: %s',
    async (hasPassiveCheck) => {
      const { kiosk, devices, stage } = start({ stored: { ...paired, staffInView: true }, hasPassiveCheck });
      kiosk.start();
      await stage('door');
      expect(devices.opened.at(-1)?.staffInView).toBe(!hasPassiveCheck);
    },
  );

  const unpair = ({ machine }: Kiosk, final: boolean) => {
    for (const type of ['device-pressed', 'unpair-pressed'] as const) machine.dispatch({ type });
    machine.dispatch({ type: 'unpair-confirmed', final });
  };

  it('unpairs: stores that it is leaving, closes and deletes the device, then clears the pairing', async () => {
    const { kiosk, devices, pairings, stage } = start();
    kiosk.start();
    await stage('door');
    unpair(kiosk, true);
    await stage('pairing');
    expect(devices.calls).toEqual(['start', 'close', 'forget']);
    expect([pairings.stored, pairings.kept]).toEqual([null, null]);
  });

  it('unpaired with its key kept, takes the same token again, and deletes the key before another one', async () => {
    const { kiosk, machine, devices, pairings, stage, confirm } = start();
    kiosk.start();
    await stage('door');
    unpair(kiosk, false);
    await stage('pairing');
    expect(devices.calls).toEqual(['start', 'close', 'forget but the key']);
    expect(pairings.kept).toBe(await hashOfToken(deviceToken));
    machine.dispatch({ type: 'token-entered', text: deviceToken });
    await confirm();
    expect(devices.calls.slice(3)).toEqual(['start']);
    unpair(kiosk, false);
    await stage('pairing');
    machine.dispatch({ type: 'token-entered', text: anotherToken });
    await stage('confirming');
    expect(devices.calls.slice(4)).toEqual(['close', 'forget but the key', 'forget', 'start']);
    expect(pairings.stored).toMatchObject({ deviceToken: anotherToken });
  });

  describe('with a pairing link', () => {
    it('of its own list just starts', async () => {
      const { kiosk, devices, stage } = start();
      kiosk.start(deviceToken);
      await stage('door');
      expect(devices.calls).toEqual(['start']);
    });

    it('of another list unpairs first, key included, and only if the service answers', async () => {
      const { kiosk, machine, devices, pairings, stage } = start();
      kiosk.start(anotherToken);
      await stage('offered');
      machine.dispatch({ type: 'offer-accepted' });
      await stage('confirming');
      expect(devices.calls).toEqual(['start', 'close', 'forget', 'start']);
      expect(pairings.stored).toMatchObject({ deviceToken: anotherToken });
      const offline = start({ deployment: null });
      offline.kiosk.start(anotherToken);
      await offline.stage('offered');
      offline.machine.dispatch({ type: 'offer-accepted' });
      await vi.waitFor(
        () => expect(offline.machine.state.stage).toMatchObject({ problem: 'service-unreachable' }),
        30_000,
      );
      expect(offline.pairings.stored).toEqual(paired);
      offline.machine.dispatch({ type: 'offer-accepted' });
      await vi.waitFor(() => expect(offline.machine.state.stage).toMatchObject({ busy: false }), 30_000);
      offline.machine.dispatch({ type: 'offer-declined' });
      await offline.stage('door');
    });
  });

  it('that has lost its list, but could not be paired with the other one, says so and can be paired', async () => {
    const { kiosk, machine, devices, pairings, stage } = start();
    kiosk.start();
    await stage('door');
    vi.spyOn(pairings, 'write').mockRejectedValueOnce(new Error('quota'));
    machine.dispatch({ type: 'token-offered', text: anotherToken });
    machine.dispatch({ type: 'offer-accepted' });
    await stage('stopped');
    expect(devices.calls).toEqual(['start', 'close', 'forget']);
    machine.dispatch({ type: 'retry-pressed' });
    await stage('pairing');
  });

  describe('with a staff PIN', () => {
    const refusal = { outcome: 'NoMatch', reason: 'already-let-in', alreadyAdmittedAtMs: 1_000 };
    const alreadyIn = { ...match, ...refusal } as unknown as VerificationResult;

    async function withPin(until: 'door' | 'not-started' = 'door') {
      const started = start();
      const pin = createStaffPin({
        store: started.pairings,
        monotonicMs: () => 0,
        later: () => undefined,
        iterations: 10,
      });
      await pin.set('1234');
      if (until === 'not-started') return started;
      started.kiosk.start();
      await started.stage('door');
      return started;
    }

    it('opens the device screen with it alone, and keeps it out of the state', async () => {
      const { machine, stage } = await withPin();
      machine.dispatch({ type: 'device-pressed' });
      machine.dispatch({ type: 'pin-entered', pin: '9999' });
      const refused = { problem: 'wrong', waitMs: 0 };
      await vi.waitFor(() => expect(machine.state.stage).toMatchObject({ refused }), 30_000);
      machine.dispatch({ type: 'pin-entered', pin: '1234' });
      await stage('device');
      expect(JSON.stringify(machine.state)).not.toContain('1234');
    });

    it('asks for it after a start that failed, too', async () => {
      const { kiosk, machine, pairings, stage } = await withPin('not-started');
      vi.spyOn(pairings, 'read').mockRejectedValueOnce(new Error('storage'));
      kiosk.start();
      await stage('stopped');
      machine.dispatch({ type: 'unpair-pressed' });
      await stage('pin');
      machine.dispatch({ type: 'pin-cancelled' });
      machine.dispatch({ type: 'retry-pressed' });
      await stage('door');
      machine.dispatch({ type: 'device-pressed' });
      await stage('pin');
    });

    it('forgets it with the pairing', async () => {
      const { machine, pairings, stage } = await withPin();
      machine.dispatch({ type: 'device-pressed' });
      machine.dispatch({ type: 'pin-entered', pin: '1234' });
      await stage('device');
      machine.dispatch({ type: 'unpair-pressed' });
      machine.dispatch({ type: 'unpair-confirmed', final: false });
      await stage('pairing');
      expect(pairings.pin).toBeNull();
      expect(machine.state.hasPin).toBe(false);
    });

    it('takes an admission back with it alone, and forgets the ID with the screen', async () => {
      const { machine, devices, stage } = await withPin();
      devices.verify = () => Promise.resolve(alreadyIn);
      machine.dispatch({ type: 'scanned', scannedId: 'ticket' });
      await stage('result');
      machine.dispatch({ type: 'take-back-pressed' });
      machine.dispatch({ type: 'pin-entered', pin: '1234' });
      await vi.waitFor(() => expect(machine.state.stage).toMatchObject({ name: 'result', takeBack: 'done' }), 30_000);
      expect(devices.calls.at(-1)).toBe('take back ticket');
      expect(JSON.stringify(machine.state)).not.toContain('"ticket"');
    });

    it('says when an admission could not be taken back', async () => {
      const { kiosk, machine, devices, stage } = start();
      kiosk.start();
      await stage('door');
      devices.verify = () => Promise.resolve(alreadyIn);
      devices.takeBack = () => Promise.reject(new Error('storage'));
      machine.dispatch({ type: 'scanned', scannedId: 'ticket' });
      await stage('result');
      machine.dispatch({ type: 'take-back-pressed' });
      await vi.waitFor(() => expect(machine.state.stage).toMatchObject({ takeBack: 'failed' }), 30_000);
    });
  });

  it('finishes an unpairing that a power cut interrupted', async () => {
    const { kiosk, devices, pairings, stage } = start({ stored: 'leaving' });
    kiosk.start();
    await stage('pairing');
    expect(devices.calls).toEqual(['forget']);
    expect(pairings.stored).toBeNull();
  });

  it('keeps the pairing if another tab has taken the device', async () => {
    const { kiosk, machine, devices, pairings, stage } = start();
    devices.failure = 'engine-failed';
    devices.forgetFailure = 'device-in-use';
    kiosk.start(anotherToken);
    await stage('offered');
    machine.dispatch({ type: 'offer-accepted' });
    await vi.waitFor(() => expect(machine.state.stage).toMatchObject({ failure: 'device-in-use' }), 30_000);
    expect([pairings.stored, pairings.kept]).toEqual([paired, null]);
  });

  it('retries a failed unpairing until the device’s keys are deleted', async () => {
    const { kiosk, machine, devices, pairings, stage } = start();
    devices.forgetFailure = 'storage-failed';
    kiosk.start();
    await stage('door');
    unpair(kiosk, true);
    await stage('stopped');
    expect(pairings.stored).toBe('leaving');
    devices.forgetFailure = null;
    machine.dispatch({ type: 'retry-pressed' });
    await stage('pairing');
    expect(pairings.stored).toBeNull();
  });
});
