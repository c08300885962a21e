import type { RegionSettings, VerificationResult } from '@svc/device-sdk';
import { formatSecret } from '@svc/protocol';
import { describe, expect, it, vi } from 'vitest';
import { createKiosk } from './kiosk.ts';
import type { Pairing } from './pairing/pairing.ts';
import { readyStatus } from './testing/sample-states.ts';
import { MemoryPairings, ScriptedDevices } from './testing/scripted-devices.ts';

const region: RegionSettings = { baseUrl: 'https://faces.example/', signingKeys: ['key'] };
const deviceToken = formatSecret('svcd', new Uint8Array(32).fill(7));
const paired: Pairing = { deviceToken, region, staffInView: false };
const match = { outcome: 'Match', reason: 'verified', protections: {} } as unknown as VerificationResult;

function start(o: { stored?: Pairing | 'leaving' | null; deployment?: RegionSettings | null } = {}) {
  const { stored = paired, deployment = region } = o;
  const devices = new ScriptedDevices();
  const pairings = new MemoryPairings(stored);
  const timers: (() => void)[] = [];
  const kiosk = createKiosk({
    devices,
    pairings,
    readDeployment: () => (deployment === null ? Promise.reject(new Error('offline')) : Promise.resolve(deployment)),
    faceVideo: {} as HTMLVideoElement,
    chime: () => undefined,
    later: (_afterMs, action) => void timers.push(action),
  });
  const stage = (name: string) => vi.waitFor(() => expect(kiosk.state().stage.name).toBe(name));
  return { kiosk, devices, pairings, timers, stage };
}

describe('a kiosk', () => {
  it('is paired with the deployment that serves it', async () => {
    const { kiosk, devices, pairings, stage } = start({ stored: null });
    kiosk.start();
    await stage('pairing');
    kiosk.dispatch({ type: 'token-entered', text: deviceToken });
    await stage('door');
    expect(pairings.stored).toEqual(paired);
    expect(devices.opened).toEqual([paired]);
    expect(devices.calls).toEqual(['start']);
  });

  it('is not paired while the service does not answer', async () => {
    const { kiosk, pairings, stage } = start({ stored: null, deployment: null });
    kiosk.start();
    await stage('pairing');
    kiosk.dispatch({ type: 'token-entered', text: deviceToken });
    await vi.waitFor(() => expect(kiosk.state().stage).toMatchObject({ problem: 'service-unreachable' }));
    expect(pairings.stored).toBeNull();
  });

  it.each([
    ['has other signing keys by now', { ...region, signingKeys: ['key', 'another'] }],
    ['can’t be asked', null],
    ['is another deployment’s', { baseUrl: 'https://other.example/', signingKeys: ['x'] }],
  ])('keeps what it was paired with where the page %s', async (_what, deployment) => {
    const { kiosk, devices, stage } = start({ deployment });
    kiosk.start();
    await stage('door');
    expect(devices.opened[0]?.region).toEqual({ baseUrl: region.baseUrl, signingKeys: ['key'] });
  });

  it('starts the next attempt only after a cancelled one has ended', async () => {
    const { kiosk, devices, stage } = start();
    kiosk.start();
    await stage('door');
    let endFirst = () => {};
    devices.verify = ({ signal }) =>
      new Promise((resolve) => {
        endFirst = () => resolve(match);
        signal.addEventListener('abort', () => devices.calls.push('aborted'));
      });
    kiosk.dispatch({ type: 'scanned', scannedId: 'first' });
    await vi.waitFor(() => expect(devices.calls).toContain('verify first'));
    kiosk.dispatch({ type: 'cancel-pressed' });
    devices.verify = () => Promise.resolve(match);
    kiosk.dispatch({ type: 'scanned', scannedId: 'second' });
    expect(devices.calls).toEqual(['start', 'verify first', 'aborted']);
    endFirst();
    await stage('result');
    expect(devices.calls.at(-1)).toBe('verify second');
    expect(kiosk.state().stage).toMatchObject({ number: 2 });
  });

  it('passes on to the device that a person can’t turn the head, and staff’s confirmation', async () => {
    const { kiosk, devices, stage } = start();
    kiosk.start();
    await stage('door');
    devices.changeStatus({ ...readyStatus, headTurnAlternative: 'staff' });
    kiosk.dispatch({ type: 'turn-chosen', withoutTurn: true });
    kiosk.dispatch({ type: 'scanned', scannedId: 'ticket' });
    await vi.waitFor(() => expect(devices.calls).toContain('verify ticket without turn'));
    const prompt = { key: 'staff-confirms', progress: 0.3, remainingMs: 7_000 } as const;
    kiosk.dispatch({ type: 'prompted', number: 1, prompt });
    kiosk.dispatch({ type: 'staff-confirm-pressed' });
    expect(devices.calls.at(-1)).toBe('confirm by staff');
  });

  it('returns to the door automatically', async () => {
    const { kiosk, devices, timers, stage } = start();
    devices.verify = () => Promise.resolve(match);
    kiosk.start();
    await stage('door');
    kiosk.dispatch({ type: 'scanned', scannedId: 'ticket' });
    await stage('result');
    for (const ring of timers) ring();
    await stage('door');
  });

  it('remembers the declaration that staff watch', async () => {
    const { kiosk, devices, pairings, stage } = start();
    devices.failure = 'passive-liveness-missing';
    kiosk.start();
    await stage('stopped');
    devices.failure = null;
    kiosk.dispatch({ type: 'staff-in-view-confirmed' });
    await stage('door');
    expect(pairings.stored).toMatchObject({ staffInView: true });
  });

  it('unpairs: stores that it is leaving, closes and deletes the device, then clears the pairing', async () => {
    const { kiosk, devices, pairings, stage } = start();
    kiosk.start();
    await stage('door');
    for (const type of ['device-pressed', 'unpair-pressed', 'unpair-confirmed'] as const) kiosk.dispatch({ type });
    await stage('pairing');
    expect(devices.calls).toEqual(['start', 'close', 'forget']);
    expect(pairings.stored).toBeNull();
  });

  it('finishes an unpairing that a power cut interrupted', async () => {
    const { kiosk, devices, pairings, stage } = start({ stored: 'leaving' });
    kiosk.start();
    await stage('pairing');
    expect(devices.calls).toEqual(['forget']);
    expect(pairings.stored).toBeNull();
  });

  it('retries a failed unpairing until the device’s keys are deleted', async () => {
    const { kiosk, devices, pairings, stage } = start();
    devices.forgetFails = true;
    kiosk.start();
    await stage('door');
    for (const type of ['device-pressed', 'unpair-pressed', 'unpair-confirmed'] as const) kiosk.dispatch({ type });
    await stage('stopped');
    expect(pairings.stored).toBe('leaving');
    devices.forgetFails = false;
    kiosk.dispatch({ type: 'retry-pressed' });
    await stage('pairing');
    expect(pairings.stored).toBeNull();
  });
});
