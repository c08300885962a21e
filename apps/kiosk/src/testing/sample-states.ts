import { type DeviceStatus, type Verdict, verdictReasons } from '@svc/device-sdk';
import { openFailures } from '../device/port.ts';
import { mayTakeBack } from '../view-model/screen.ts';
import { initialState, type PinRefusal, type Stage, type State } from '../view-model/state.ts';

const HOUR_MS = 3_600_000;
const nowMs = Date.parse('2026-03-02T10:00:00.000Z');

const logo =
  'iVBORw0KGgoAAAANSUhEUgAAAHgAAAAoAgMAAABIhNa2AAAADFBMVEULX3NMaXELX3MKXnIx9FZKAAAABHRSTlP+AIJYuS8kAQAAAAlwSFlzAAALEwAACxMBAJqcGAAAALRJREFUOMu91MENgzAMBVCrKAcGYISOwB45UFEhDozCMrkwBUuwD0kdS43qH1dUqk+x3sVx7NCjGmTzuN6OCu9EDeaZYvSQl8QtZHoF4oG5i8m0FRESe2YXOR8lXOKFzy3gnc8NYEl0HiU51NIG4U69mMGzsNpWegrfVfZvdU5FWR/si0v9l5XSjIsZbfmt5/BBA48iGgfHjIYpMxrFzGiQXX0NwldLZK2gscDG+lufx/Wf6QTsnyZm+5KU/wAAAABJRU5ErkJggg==';

export const readyStatus: DeviceStatus = {
  ready: true,
  notReady: null,
  listId: 'lst_01',
  deviceId: 'dev_01',
  listVersion: 1208,
  people: 1204,
  enrollmentClosed: true,
  headTurnAlternative: 'none',
  attendance: 'staffed',
  mode: 'live',
  unattended: { able: true, missing: [] },
  names: { organiser: 'Riverside Hall', event: 'Summer concert', list: 'Summer concert', device: 'North gate 3', logo },
  reEntry: 'off',
  arrivals: 'off',
  sharedAdmissions: { scope: 'device', sharing: 'off', unsent: 0, conflicts: [] },
  checkIns: { configured: false, queued: 0, lastDeliveredAtMs: null },
  leaseExpiresAtMs: nowMs + 24 * HOUR_MS,
  retentionDeadlineMs: nowMs + 72 * HOUR_MS,
  lastSyncAtMs: nowMs,
  lastSync: { ok: true, outcome: 'unchanged', listVersion: 1208, people: 1204 },
  syncing: false,
  erased: null,
  engineIds: ['retail-0095-mirror/3', 'dlib-resnet-128-mirror/1'],
  engineMismatch: false,
  framesPerSecond: 18.4,
  core: 'simd',
  protections: {
    passive: 'minifasnet',
    passiveCalibration: 'minifasnet-fused/4',
    active: 'head-turn',
    light: 'off',
    attendance: 'staffed',
    witness: null,
  },
  connection: 'online',
  nextSyncAtMs: nowMs + HOUR_MS / 12,
};

/** Of a list that is gone, or has never come. */
const nothing = {
  ...{ ready: false, names: null, listVersion: null, people: 0, enrollmentClosed: null },
  ...{ leaseExpiresAtMs: null, retentionDeadlineMs: null },
} satisfies Partial<DeviceStatus>;

export const newStatus: DeviceStatus = {
  ...readyStatus,
  ...nothing,
  notReady: { outcome: 'LeaseExpired', reason: 'never-synced' },
  listId: null,
  deviceId: null,
  lastSyncAtMs: null,
  lastSync: null,
  syncing: true,
  connection: 'unknown',
  nextSyncAtMs: null,
  framesPerSecond: null,
};

export const at = (stage: Stage, more: Partial<State> = {}): State => ({
  ...initialState,
  hasPin: false,
  status: readyStatus,
  stage,
  ...more,
});

export function resultOf(verdict: Verdict, more: Partial<Extract<Stage, { readonly name: 'result' }>> = {}): State {
  const { protections } = readyStatus;
  const takeBack = mayTakeBack(verdict) ? 'possible' : 'none';
  return at({
    ...{ name: 'result', number: 1, verdict, protections, letInAtMs: null, letInAt: null, checksIn: false, takeBack },
    ...more,
  });
}

const erasedBy = {
  'device-revoked': 'device-revoked',
  'list-deleted': 'list-deleted',
  'account-suspended': 'account-suspended',
  'no-sync-30-days': 'no-sync-30-days',
  'unattended-unsupported': 'unattended-unsupported',
  'list-deadline': 'retention-deadline',
} as const;

export const notReady = (reason: (typeof verdictReasons)['LeaseExpired' | 'Expired'][number]): State => ({
  ...at(door),
  status: {
    ...readyStatus,
    ready: false,
    notReady: { outcome: reason.endsWith('deadline') ? 'Expired' : 'LeaseExpired', reason } as never,
    lastSync: { ok: false, reason: 'offline' },
    connection: 'offline',
    ...(reason in erasedBy ? { ...nothing, erased: erasedBy[reason as keyof typeof erasedBy] } : {}),
  },
});

const attempt = (prompt: Extract<Stage, { name: 'attempt' }>['prompt']): State =>
  at({ name: 'attempt', number: 1, prompt });

const undelivered: DeviceStatus = {
  ...readyStatus,
  checkIns: { configured: true, queued: 3, lastDeliveredAtMs: nowMs },
};

const door = { name: 'door' } as const;

const confirming = (status: DeviceStatus): State => at({ name: 'confirming', busy: false, failed: false }, { status });

const asksPin = (refused: PinRefusal | null): State =>
  at({ name: 'pin', task: 'device', back: door, busy: false, refused }, { hasPin: true });

/** Every screen in every state that looks different, by name. */
export const sampleStates: Readonly<Record<string, State>> = {
  loading: at({ name: 'opening' }),
  pair: at({ name: 'pairing', busy: false, problem: null, back: null }, { status: null }),
  'pair-problem': at({ name: 'pairing', busy: false, problem: 'not-a-token', back: null }, { status: null }),
  'pair-another': at({
    ...{ name: 'pairing', busy: false, problem: 'another-page' },
    back: { name: 'device', unpairing: false },
  }),
  'pair-again': { ...notReady('device-revoked'), stage: { name: 'pairing', busy: false, problem: null, back: door } },
  offer: at({ name: 'offered', busy: false, problem: null, paired: false, back: null }, { status: null }),
  'offer-another': at(
    { name: 'offered', busy: false, problem: 'service-unreachable', paired: true, back: null },
    { status: undelivered },
  ),
  confirm: confirming(readyStatus),
  'confirm-syncing': confirming(newStatus),
  'confirm-unsuited': {
    ...notReady('unattended-unsupported'),
    stage: { name: 'confirming', busy: false, failed: false },
  },
  pin: asksPin(null),
  'pin-wrong': asksPin({ problem: 'wrong', waitMs: 0 }),
  'pin-waiting': asksPin({ problem: 'wrong', waitMs: 3_600_000 }),
  ...Object.fromEntries(
    openFailures.map((failure) => [`stopped-${failure}`, at({ name: 'stopped', failure, unpairing: false })]),
  ),
  'stopped-unpairing': at({ name: 'stopped', failure: 'engine-failed', unpairing: true }),
  scan: at(door),
  'scan-offline': at(door, { status: { ...readyStatus, connection: 'offline' } }),
  'scan-unreachable': at(door, { reachable: false }),
  'scan-long-names': at(door, {
    status: {
      ...readyStatus,
      names: {
        event: 'The Forty-Second International Congress of Applied Ornithology and Related Sciences',
        list: 'Accompanying persons of registered delegates, Thursday and Friday',
        device: 'Entrance hall of the west wing, third door',
      },
    },
  }),
  'scan-light': at(door, {
    status: { ...readyStatus, protections: { ...readyStatus.protections, light: 'when-possible' } },
  }),
  'scan-unattended': at(door, { status: { ...readyStatus, attendance: 'unattended' } }),
  ...Object.fromEntries(
    (['staff', 'light'] as const).flatMap((headTurnAlternative) => {
      const status = { ...readyStatus, headTurnAlternative };
      return [
        [`scan-${headTurnAlternative}-possible`, at(door, { status })],
        [`scan-${headTurnAlternative}-instead`, at(door, { status, withoutTurn: true })],
      ];
    }),
  ),
  'scan-mismatch': at(door, { status: { ...readyStatus, engineMismatch: true }, camera: 'denied' }),
  'syncing-first': at(door, { status: newStatus }),
  ...Object.fromEntries(
    [...verdictReasons.LeaseExpired, 'list-deadline' as const].map((reason) => [
      `not-ready-${reason}`,
      notReady(reason),
    ]),
  ),
  device: at({ name: 'device', unpairing: false }),
  'device-staff': at(
    { name: 'device', unpairing: false },
    {
      status: {
        ...readyStatus,
        protections: { ...readyStatus.protections, passive: 'absent-staff-in-view', passiveCalibration: null },
        lastSync: { ok: false, reason: 'unauthorised' },
        connection: 'offline',
        framesPerSecond: 4.2,
        core: 'scalar',
      },
    },
  ),
  'device-revoked': { ...notReady('device-revoked'), stage: { name: 'device', unpairing: false } },
  'device-unpairing': at({ name: 'device', unpairing: true }, { status: undelivered }),
  'device-with-pin': at({ name: 'device', unpairing: false, pinFailed: true }, { hasPin: true, status: undelivered }),
  'attempt-starting': attempt(null),
  'attempt-look': attempt({ key: 'look-at-camera', progress: 0.15, remainingMs: 9_200 }),
  'attempt-nobody': attempt({ key: 'step-into-view', progress: 0, remainingMs: 6_900 }),
  'attempt-left': attempt({ key: 'turn-head', direction: 'left', progress: 0.4, remainingMs: 7_000 }),
  'attempt-right-hint': attempt({
    key: 'turn-head',
    direction: 'right',
    hint: 'step-back',
    progress: 0.4,
    remainingMs: 6_000,
  }),
  'attempt-light-next': attempt({ key: 'look-at-camera', next: 'light', progress: 0.15, remainingMs: 9_200 }),
  'attempt-staff': attempt({ key: 'staff-confirms', progress: 0.4, remainingMs: 7_000 }),
  'attempt-back': attempt({ key: 'look-back', progress: 0.8, remainingMs: 3_000 }),
  'attempt-one-person': attempt({ key: 'one-person-only', progress: 0.1, remainingMs: 9_000 }),
  'result-match': resultOf({ outcome: 'Match', reason: 'verified' }),
  'result-checked-in': resultOf({ outcome: 'Match', reason: 'verified' }, { checksIn: true }),
  'result-let-in-before': resultOf({ outcome: 'Match', reason: 'verified' }, { letInAtMs: nowMs - HOUR_MS }),
  'result-refused-again': resultOf({ outcome: 'NoMatch', reason: 'already-let-in' }, { letInAtMs: nowMs - HOUR_MS }),
  'result-taken-back': resultOf({ outcome: 'NoMatch', reason: 'already-let-in' }, { takeBack: 'done' }),
  'result-not-taken-back': resultOf({ outcome: 'NoMatch', reason: 'already-let-in' }, { takeBack: 'failed' }),
  'result-staff-confirmed': resultOf({ outcome: 'Match', reason: 'staff-confirmed' }),
  'result-never-scorable': resultOf({ outcome: 'LivenessFailed', reason: 'never-scorable' }),
  'result-not-enrolled': resultOf({ outcome: 'NotEnrolled', reason: 'not-on-list' }),
  'result-lease-expired': resultOf({ outcome: 'LeaseExpired', reason: 'lease-expired' }),
  'result-expired': resultOf({ outcome: 'Expired', reason: 'person-deadline' }),
  'result-liveness-failed': resultOf({ outcome: 'LivenessFailed', reason: 'attack-frame' }),
  'result-challenge-failed': resultOf({ outcome: 'ChallengeFailed', reason: 'wrong-way' }),
  'result-no-match': resultOf({ outcome: 'NoMatch', reason: 'below-threshold' }),
  'result-no-face': resultOf({ outcome: 'NoFace', reason: 'camera-denied' }),
};
