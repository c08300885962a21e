import type { DeviceStatus, VerificationResult } from '@svc/device-sdk-native';
import type { NativeDeviceEvent, Spec } from '../specs/NativeSvcDevice.ts';

const protections = {
  passive: 'minifasnet',
  passiveCalibration: 'minifasnet-fused/4',
  active: 'head-turn',
  light: 'off',
  attendance: 'staffed',
  witness: null,
} as const satisfies DeviceStatus['protections'];

export const neverSynced: DeviceStatus = {
  ready: false,
  notReady: { outcome: 'LeaseExpired', reason: 'never-synced' },
  listId: null,
  deviceId: null,
  listVersion: null,
  people: 0,
  enrollmentClosed: null,
  headTurnAlternative: 'none',
  attendance: null,
  mode: 'live',
  unattended: { able: true, missing: [] },
  names: null,
  reEntry: 'off',
  arrivals: 'off',
  sharedAdmissions: { scope: 'device', sharing: 'off', unsent: 0, conflicts: [] },
  checkIns: { configured: false, queued: 0, lastDeliveredAtMs: null },
  leaseExpiresAtMs: null,
  retentionDeadlineMs: null,
  lastSyncAtMs: null,
  lastSync: null,
  syncing: false,
  connection: 'unknown',
  nextSyncAtMs: null,
  erased: null,
  engineIds: ['svc-mesh-1'],
  engineMismatch: false,
  protections,
  framesPerSecond: null,
  core: 'simd',
};

export const synced: DeviceStatus = {
  ...neverSynced,
  ready: true,
  notReady: null,
  listId: 'lst_1',
  deviceId: 'dev_1',
  listVersion: 3,
  people: 2,
  enrollmentClosed: false,
  attendance: 'staffed',
  leaseExpiresAtMs: 1_800_000_000_000,
  lastSyncAtMs: 1_799_913_600_000,
  lastSync: { ok: true, outcome: 'updated', listVersion: 3, people: 2 },
  connection: 'online',
  framesPerSecond: 12,
};

/** A result with everything that the contract requires. */
export function resultOf(verdict: object): VerificationResult {
  return {
    protections,
    timings: {
      totalMs: 4_000,
      cameraStartMs: 300,
      attemptMs: 3_600,
      frontalMs: 900,
      lightMs: null,
      turnMs: 1_500,
      returnMs: 1_200,
    },
    counts: { framesAnalysed: 36, framesDropped: 4, framesUnscorable: 0, embeddings: 2, detections: 3 },
    ...verdict,
  } as VerificationResult;
}

export const match = resultOf({
  outcome: 'Match',
  reason: 'verified',
  admission: { recorded: false, alreadyAdmittedAtMs: null, sharing: 'off' },
});

/** A call that the test answers when it wants to. */
export interface Call {
  readonly name: string;
  readonly body: unknown;
  answer(value?: unknown): void;
  answerRaw(value: unknown): void;
  fail(error: unknown): void;
}

/** The native module with no behaviour of its own: the test answers each call, and sends events. */
export function createFakeNative() {
  const calls: Call[] = [];
  const listeners = new Set<(event: NativeDeviceEvent) => void>();
  const native: Spec = {
    call: (name, body) =>
      new Promise<string>((resolve, reject) => {
        const answerRaw = (value: unknown) => resolve(value as string);
        const answer = (value: unknown = {}) => answerRaw(JSON.stringify(value));
        calls.push({ name, body: JSON.parse(body), answer, answerRaw, fail: reject });
      }),
    onDeviceEvent: ((listener: (event: NativeDeviceEvent) => void) => {
      listeners.add(listener);
      return { remove: () => listeners.delete(listener) };
    }) as never,
  };
  return {
    native,
    calls,
    listeners,
    /** The last call of a name. */
    call(name: string): Call {
      const found = calls.findLast((each) => each.name === name);
      if (found === undefined) throw new Error(`${name} was not called`);
      return found;
    },
    /** Sends an event as the native side does. */
    tell(name: string, body: unknown): void {
      for (const listener of [...listeners]) listener({ name, body: JSON.stringify(body) });
    },
    /** Sends anything. */
    tellRaw(event: unknown): void {
      for (const listener of [...listeners]) listener(event as NativeDeviceEvent);
    },
  };
}
