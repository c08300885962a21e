import { type VerificationResult, verdictReasons, verificationOutcomes } from '@svc/device-sdk';
import { formatSecret } from '@svc/protocol';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { openFailures } from '../device/port.ts';
import { readDeviceToken } from '../pairing/pairing.ts';
import { at, newStatus, notReady, readyStatus, sampleStates } from '../testing/sample-states.ts';
import { adviceFor, placeOf, screenOf, waysOut } from './screen.ts';
import { type Effect, initialState, type KioskEvent, type OpenStage, type State } from './state.ts';
import { isIdle, stages, transition } from './transition.ts';

const token = formatSecret('svcd', new Uint8Array(32).fill(7));
const ticket = 'ticket-4711';
const pin = '27182818';

/** The state after some events, and the effects of the last. */
function after(start: State, ...events: readonly KioskEvent[]) {
  let state = start;
  let effects: readonly Effect[] = [];
  for (const event of events) ({ state, effects } = transition(state, event));
  return { state, effects, screen: screenOf(state).name };
}

const notRecorded = { recorded: false, alreadyAdmittedAtMs: null, sharing: 'off' } as const;

function resultOf(outcome: VerificationResult['outcome']): VerificationResult {
  return {
    ...({ outcome, reason: verdictReasons[outcome][0], admission: notRecorded } as VerificationResult),
    protections: readyStatus.protections,
    // Counts and durations are not shown.
    timings: {} as VerificationResult['timings'],
    counts: {} as VerificationResult['counts'],
  };
}

const door = at({ name: 'door' });
const attempting = after(door, { type: 'scanned', scannedId: ticket }).state;

describe('pairing', () => {
  const unpaired = after(initialState, { type: 'pairing-read', paired: false, hasPin: false });

  it('accepts a token pasted with blanks and line breaks', () => {
    const pasted = `  ${token.slice(0, 20)}\n${token.slice(20)} `;
    const { state, effects } = after(unpaired.state, { type: 'token-entered', text: pasted });
    expect(effects).toEqual([{ type: 'pair', deviceToken: token }]);
    expect(state.stage).toEqual({ name: 'pairing', busy: true, problem: null, back: null });
    // Once, however often it is asked for.
    expect(after(state, { type: 'token-entered', text: token }).effects).toEqual([]);
  });

  it.each([
    ['', 'not-a-token'],
    [token.slice(0, -1), 'not-a-token'],
    [`${token}x`, 'not-a-token'],
    [formatSecret('svck', new Uint8Array(32)), 'another-secret'],
  ])('refuses “%s”', (text, problem) => {
    const { state, effects } = after(unpaired.state, { type: 'token-entered', text });
    expect(state.stage).toMatchObject({ name: 'pairing', busy: false, problem });
    expect(effects).toEqual([]);
  });

  const opening = after(unpaired.state, { type: 'token-entered', text: token }, { type: 'paired' });
  const fetched = { type: 'status-changed', status: readyStatus } as const;
  const yes = { type: 'pairing-confirmed', pin } as const;
  const asked = after(opening.state, { type: 'device-opened', status: newStatus, confirmed: false });

  it('asks whether it is the right list once its names have come, and takes no ticket before', () => {
    expect(opening.effects).toEqual([{ type: 'open-device' }]);
    expect(asked.screen).toBe('confirm');
    expect(after(asked.state, yes).effects).toEqual([]);
    const wiped = { ...readyStatus, erased: 'device-revoked' } as const;
    expect(after(asked.state, { type: 'status-changed', status: wiped }, yes).effects).toEqual([]);
    expect(after(asked.state, fetched, { type: 'scanned', scannedId: ticket }).screen).toBe('confirm');
    for (const type of ['door-pressed', 'device-pressed', 'retry-pressed', 'paired'] as const)
      expect(after(asked.state, fetched, { type }).screen, type).toBe('confirm');
    // Nobody says so: as by “Cancel”, but not while the list is still on its way.
    expect(after(asked.state, { type: 'staff-idle' })).toMatchObject({ screen: 'confirm', effects: [] });
    expect(after(asked.state, fetched, { type: 'staff-idle' }).effects).toEqual([{ type: 'forget', final: false }]);
    expect(after(asked.state, fetched, yes, { type: 'staff-idle' }).screen).toBe('confirm');
  });

  it('is kept with a PIN and a yes, and shows the device screen once, at later starts the door', () => {
    const confirmed = after(asked.state, fetched, yes);
    expect(confirmed.effects).toEqual([{ type: 'confirm-pairing', pin }]);
    expect(JSON.stringify(confirmed.state)).not.toContain(pin);
    for (const event of [yes, { type: 'pairing-declined' }] as const)
      expect(after(confirmed.state, event).effects).toEqual([]);
    expect(after(confirmed.state, { type: 'pin-not-changed' }, yes).effects).toEqual(confirmed.effects);
    const kept = after(confirmed.state, { type: 'pairing-kept' });
    expect(kept).toMatchObject({ screen: 'device', state: { hasPin: true } });
    const opened = { type: 'device-opened', status: readyStatus, confirmed: true } as const;
    expect(after(opening.state, opened).screen).toBe('scan');
  });

  it('is deleted by a no', () => {
    const declined = after(asked.state, { type: 'pairing-declined' });
    expect(declined).toMatchObject({ screen: 'loading', effects: [{ type: 'forget', final: false }] });
  });
});

describe('a device that does not open', () => {
  it.each(openFailures)('says why and can be tried again: %s', (failure) => {
    const { state, screen } = after(at({ name: 'opening' }), { type: 'open-failed', failure });
    expect(screen).toBe('stopped');
    expect(after(state, { type: 'retry-pressed' }).effects).toEqual([{ type: 'open-device' }]);
    const promised = after(state, { type: 'staff-in-view-confirmed' }).effects;
    expect(promised).toEqual(failure === 'passive-liveness-missing' ? [{ type: 'promise-staff-in-view' }] : []);
  });

  it.each(openFailures)('is unpaired after a question, unless another tab has it open: %s', (failure) => {
    const stopped = at({ name: 'stopped', failure, unpairing: false });
    expect(after(stopped, { type: 'unpair-confirmed', final: true }).effects).toEqual([]);
    const asked = after(stopped, { type: 'unpair-pressed' });
    if (failure === 'device-in-use') return expect(asked.state).toEqual(stopped);
    expect(asked).toMatchObject({ effects: [], screen: 'stopped', state: { stage: { failure, unpairing: true } } });
    expect(isIdle(asked.state)).toBe(false);
    expect(after(asked.state, { type: 'unpair-cancelled' }).state).toEqual(stopped);
    const confirmed = after(asked.state, { type: 'unpair-confirmed', final: true });
    expect(confirmed.effects).toEqual([{ type: 'forget', final: true }]);
  });
});

describe('a device that can’t verify any more', () => {
  const again = { type: 'pair-again-pressed' } as const;
  const entered = { type: 'token-entered', text: token } as const;
  const refused = (reason: 'unauthorised' | 'rate-limited') => {
    const { status, ...state } = notReady('lease-expired');
    return { ...state, status: status && { ...status, lastSync: { ok: false, reason } as const } };
  };

  it.each<[string, State, readonly string[]]>([
    ['revoked', notReady('device-revoked'), ['pair-again']],
    ['its list deleted', notReady('list-deleted'), ['pair-again']],
    ['its list past its date', notReady('list-deadline'), ['pair-again', 'sync']],
    ['its token unknown', refused('unauthorised'), ['pair-again', 'sync']],
    ['its account suspended', notReady('account-suspended'), ['sync', 'pair-again']],
    ['an unattended list', notReady('unattended-unsupported'), ['sync', 'pair-again']],
    ['its lease over', refused('rate-limited'), ['sync']],
    ['its clock behind', notReady('clock-behind'), ['sync']],
  ])('has a way out: %s', (_why, state, ways) => {
    expect(state.status && waysOut(state.status)).toEqual(ways);
    const onDevice = screenOf({ ...state, stage: { name: 'device', unpairing: false } });
    expect(onDevice).toMatchObject({ ways: [...ways, 'door'] });
    expect(after(state, again).screen).toBe(ways.includes('pair-again') ? 'pair' : 'not-ready');
  });

  it('is paired again without a question about a list that is gone, else with it', () => {
    const revoked = notReady('device-revoked');
    const asked = after(revoked, again);
    expect(screenOf(asked.state)).toMatchObject({ name: 'pair', leaves: false });
    const pairing = after(asked.state, entered);
    expect(pairing.effects).toEqual([{ type: 'pair', deviceToken: token }]);
    expect(after(pairing.state, { type: 'pair-another-cancelled' }).state).toEqual(pairing.state);
    const failed = after(pairing.state, { type: 'pairing-failed', problem: 'service-unreachable' });
    expect(after(failed.state, entered).effects).toEqual(pairing.effects);
    expect(after(failed.state, { type: 'pair-another-cancelled' }).state).toEqual(revoked);
    expect(after(pairing.state, { type: 'paired' })).toMatchObject({ effects: [{ type: 'open-device' }] });
    expect(screenOf(after(refused('unauthorised'), again, entered).state)).toMatchObject({
      name: 'offer',
      leaves: true,
    });
  });

  it('goes back to where staff have come from, not to a door without a device', () => {
    const stopped = at({ name: 'stopped', failure: 'configuration-invalid', unpairing: false }, { status: null });
    for (const start of [notReady('device-revoked'), stopped]) {
      const locked = { ...start, hasPin: true };
      const asked = after(locked, again, { type: 'pin-accepted' });
      const offered = after(asked.state, { type: 'token-offered', text: token });
      for (const { state } of [asked, offered]) expect(after(state, { type: 'staff-idle' }).state).toEqual(locked);
    }
    expect(after(stopped, again, { type: 'pair-another-cancelled' }).state).toEqual(stopped);
    expect(after(at({ name: 'stopped', failure: 'engine-failed', unpairing: false }), again).screen).toBe('stopped');
  });
});

it('the first line has each name once', () => {
  const told = ['Guests', 'Concert', null].map((event) =>
    placeOf({ event, list: 'Guests', device: 'North' }).join(', '),
  );
  expect(told).toEqual(['Guests, North', 'Concert, Guests, North', 'Guests, North']);
});

describe('the door', () => {
  it('begins an attempt with the scanned ID, and does not store it', () => {
    const { state, effects, screen } = after(door, { type: 'scanned', scannedId: ticket });
    expect(effects).toEqual([{ type: 'verify', number: 1, scannedId: ticket, withoutTurn: false }]);
    expect(screen).toBe('attempt');
    expect(JSON.stringify(state)).not.toContain(ticket);
  });

  it('takes no ticket while the device is not ready', () => {
    const notReady = after(door, { type: 'status-changed', status: newStatus }, { type: 'scanned', scannedId: ticket });
    expect(notReady).toMatchObject({ effects: [], screen: 'not-ready' });
    expect(after(notReady.state, { type: 'status-changed', status: readyStatus }).screen).toBe('scan');
  });
});

it('a connection that is back leads to a sync if the last one found none', () => {
  const reach = (reachable: boolean) => ({ type: 'reach-changed', reachable }) as const;
  expect(after(door, reach(false), reach(true)).effects).toEqual([]);
  const offline = at({ name: 'door' }, { status: { ...readyStatus, connection: 'offline' } });
  expect(after(offline, reach(false)).effects).toEqual([]);
  expect(after(offline, reach(true)).effects).toEqual([{ type: 'sync-soon' }]);
});

describe('an attempt', () => {
  const prompt = { key: 'look-at-camera', progress: 0.1, remainingMs: 9_000 } as const;

  it('shows its own prompts only, and ignores the next ticket and the device screen', () => {
    expect(after(attempting, { type: 'prompted', number: 1, prompt }).state.stage).toMatchObject({ prompt });
    const others = [
      { type: 'prompted', number: 2, prompt },
      { type: 'scanned', scannedId: 'another' },
      { type: 'device-pressed' },
    ] as const;
    for (const event of others) expect(after(attempting, event)).toMatchObject({ state: attempting, effects: [] });
  });

  it.each(verificationOutcomes)('ends as %s, stays for a while, and leaves', (outcome) => {
    const ended = after(attempting, { type: 'verified', number: 1, result: resultOf(outcome) });
    expect(ended.screen).toBe('result');
    const stays = ended.effects.find((effect) => effect.type === 'return-later');
    expect(stays).toMatchObject({ number: 1 });
    expect(ended.effects).toContainEqual({ type: 'signal', advice: adviceFor[outcome] });
    expect(after(ended.state, { type: 'shown-long-enough', number: 1 }).screen).toBe('scan');
    expect(after(ended.state, { type: 'next-pressed' }).screen).toBe('scan');
  });

  it('at a door that nobody watches sends to the standard check-in, where the staff are', () => {
    const { protections, ...result } = resultOf('LivenessFailed');
    const refused = { ...result, protections: { ...protections, attendance: 'unattended' as const } };
    const { state, effects } = after(attempting, { type: 'verified', number: 1, result: refused });
    expect(screenOf(state)).toMatchObject({ advice: 'standard-check-in' });
    expect(effects).toContainEqual({ type: 'signal', advice: 'standard-check-in' });
  });

  it('of somebody who was let in before says so, and stays longer', () => {
    const result = {
      ...resultOf('Match'),
      admission: { recorded: true, alreadyAdmittedAtMs: 1_000, door: 'South', sharing: 'together' },
    } as const;
    const { state, effects } = after(attempting, { type: 'verified', number: 1, result });
    expect(screenOf(state)).toMatchObject({
      name: 'result',
      advice: 'already-let-in',
      letInAtMs: 1_000,
      letInAt: 'South',
    });
    expect(effects).toEqual([
      { type: 'signal', advice: 'already-let-in' },
      { type: 'return-later', number: 1, afterMs: 8_000 },
    ]);
  });

  it('is called a check-in only if it was recorded for the organiser’s system', () => {
    const told = { ...readyStatus, checkIns: { configured: true, queued: 0, lastDeliveredAtMs: null } };
    const checksIn = (status: typeof readyStatus, recorded: boolean) => {
      const result = { ...resultOf('Match'), admission: { recorded, alreadyAdmittedAtMs: null } } as VerificationResult;
      const verified = { type: 'verified', number: 1, result } as const;
      return after(attempting, { type: 'status-changed', status }, verified).state.stage;
    };
    expect(checksIn(told, true)).toMatchObject({ checksIn: true });
    expect(checksIn(told, false)).toMatchObject({ checksIn: false });
    expect(checksIn(readyStatus, true)).toMatchObject({ checksIn: false });
  });

  it('that is refused because the person is in already can be taken back, and says for long enough that it was', () => {
    const refusal = { outcome: 'NoMatch', reason: 'already-let-in', alreadyAdmittedAtMs: 1_000 } as const;
    const result = { ...resultOf('NoMatch'), ...refusal } as VerificationResult;
    const refused = after(attempting, { type: 'verified', number: 1, result });
    expect(screenOf(refused.state)).toMatchObject({ advice: 'call-staff', letInAtMs: 1_000, takeBack: 'possible' });
    const busy = after(refused.state, { type: 'take-back-pressed' });
    expect(busy.effects).toEqual([{ type: 'take-back' }]);
    expect(after(busy.state, { type: 'take-back-pressed' }).effects).toEqual([]);
    expect(after(busy.state, { type: 'shown-long-enough', number: 1 }).screen).toBe('result');
    const done = after(busy.state, { type: 'taken-back', done: true });
    expect(done.effects).toEqual([{ type: 'return-later', number: 2, afterMs: 10_000 }]);
    expect(after(done.state, { type: 'shown-long-enough', number: 1 }).screen).toBe('result');
    expect(after(done.state, { type: 'shown-long-enough', number: 2 }).screen).toBe('scan');
    expect(after(done.state, { type: 'scanned', scannedId: ticket }).effects).toContainEqual(
      expect.objectContaining({ type: 'verify', number: 3 }),
    );
    const other = after(attempting, { type: 'verified', number: 1, result: resultOf('NoMatch') });
    expect(after(other.state, { type: 'take-back-pressed' }).effects).toEqual([]);
  });

  it('that was cancelled has no result, and its late events do not reach the next one', () => {
    const cancelled = after(attempting, { type: 'cancel-pressed' });
    expect(cancelled).toMatchObject({ screen: 'scan', effects: [{ type: 'end-attempt' }] });
    const next = after(cancelled.state, { type: 'scanned', scannedId: 'another' });
    expect(next.effects).toEqual([{ type: 'verify', number: 2, scannedId: 'another', withoutTurn: false }]);
    expect(after(next.state, { type: 'verified', number: 1, result: resultOf('Match') }).state).toBe(next.state);
  });

  it('that was cancelled when the person was let in already is shown', () => {
    const cancelled = after(attempting, { type: 'cancel-pressed' });
    const late = (result: VerificationResult) => after(cancelled.state, { type: 'verified', number: 1, result }).screen;
    const admission = { recorded: true, alreadyAdmittedAtMs: null, sharing: 'off' } as const;
    expect(late({ ...resultOf('Match'), admission } as VerificationResult)).toBe('result');
    // Nothing is remembered of these.
    for (const outcome of verificationOutcomes) expect(late(resultOf(outcome))).toBe('scan');
  });

  it('may follow a result immediately, whose timer then does not end it', () => {
    const shown = after(attempting, { type: 'verified', number: 1, result: resultOf('NoFace') });
    const timer = { type: 'shown-long-enough', number: 1 } as const;
    expect(after(shown.state, { type: 'scanned', scannedId: ticket }, timer).screen).toBe('attempt');
  });
});

describe('a person who can’t turn the head', () => {
  const of = (headTurnAlternative: 'none' | 'staff' | 'light', passive = readyStatus.protections.passive) =>
    at(
      { name: 'door' },
      { status: { ...readyStatus, headTurnAlternative, protections: { ...readyStatus.protections, passive } } },
    );
  const chosen = { type: 'turn-chosen', withoutTurn: true } as const;
  const scan = { type: 'scanned', scannedId: ticket } as const;

  it.each(['staff', 'light'] as const)('goes without the turn where the list has %s instead, once', (alternative) => {
    const first = after(of(alternative), chosen, scan);
    expect(first.effects).toEqual([{ type: 'verify', number: 1, scannedId: ticket, withoutTurn: true }]);
    const next = after(first.state, { type: 'verified', number: 1, result: resultOf('Match') }, scan);
    expect(next.effects).toContainEqual({ type: 'verify', number: 2, scannedId: ticket, withoutTurn: false });
  });

  it('cannot choose what the list does not offer, nor a match without a passive check', () => {
    for (const state of [of('none'), of('staff', 'absent-staff-in-view')]) {
      expect(after(state, chosen).state.withoutTurn).toBe(false);
      expect(after(state, chosen, scan).effects).toContainEqual(expect.objectContaining({ withoutTurn: false }));
    }
  });

  it('may take the choice back; opening the device screen resets it', () => {
    expect(after(of('staff'), chosen, { ...chosen, withoutTurn: false }).state.withoutTurn).toBe(false);
    expect(after(of('staff'), chosen, { type: 'device-pressed' }).state.withoutTurn).toBe(false);
  });

  it('chooses one alternative, and not the one that a sync brings instead', () => {
    const { state } = after(of('light'), chosen);
    const { status } = of('staff');
    if (status === null) throw new Error('no status');
    expect(after(state, { type: 'status-changed', status }).state.withoutTurn).toBe(false);
    const synced = { ...state.status, people: 7 } as typeof status;
    expect(after(state, { type: 'status-changed', status: synced }).state.withoutTurn).toBe(true);
  });

  it('can be confirmed by staff only while the prompt asks for it', () => {
    const press = { type: 'staff-confirm-pressed' } as const;
    const { state } = after(of('staff'), chosen, scan);
    expect(after(state, press).effects).toEqual([]);
    const prompt = { key: 'staff-confirms', progress: 0.3, remainingMs: 7_000 } as const;
    const asked = after(state, { type: 'prompted', number: 1, prompt }).state;
    expect(after(asked, press)).toMatchObject({ screen: 'attempt', effects: [{ type: 'confirm-by-staff' }] });
    expect(after(of('staff'), press).effects).toEqual([]);
  });
});

describe('unpairing', () => {
  const asked = after(door, { type: 'device-pressed' }, { type: 'unpair-pressed' });

  it('asks for confirmation first', () => {
    expect(after(door, { type: 'device-pressed' }, { type: 'unpair-confirmed', final: false }).effects).toEqual([]);
    expect(asked.effects).toEqual([]);
    expect(after(asked.state, { type: 'unpair-cancelled' }).screen).toBe('device');
  });

  it('shows only its own screen until it is done', () => {
    const forgetting = after(asked.state, { type: 'unpair-confirmed', final: false });
    expect(forgetting.effects).toEqual([{ type: 'forget', final: false }]);
    expect(after(forgetting.state, { type: 'scanned', scannedId: ticket }).screen).toBe('loading');
    const done = after(forgetting.state, { type: 'forgotten' });
    expect(done).toMatchObject({ screen: 'pair', state: { status: null } });
  });
});

describe('a staff PIN', () => {
  const locked = (stage: OpenStage, more: Partial<State> = {}) => at(stage, { hasPin: true, ...more });
  const withAlternative = { status: { ...readyStatus, headTurnAlternative: 'staff' } } as const;
  const refusedAgain = { ...sampleStates['result-no-match']?.stage, takeBack: 'possible' } as OpenStage;
  const missing: OpenStage = { name: 'stopped', failure: 'passive-liveness-missing', unpairing: false };
  const guarded: readonly (readonly [string, State, KioskEvent])[] = [
    ['the device screen', locked({ name: 'door' }), { type: 'device-pressed' }],
    ['unpairing a stopped device', locked(missing), { type: 'unpair-pressed' }],
    ['declaring that staff watch', locked(missing), { type: 'staff-in-view-confirmed' }],
    ['pairing again', { ...notReady('device-revoked'), hasPin: true }, { type: 'pair-again-pressed' }],
    ['doing without the turn', locked({ name: 'door' }, withAlternative), { type: 'turn-chosen', withoutTurn: true }],
    ['taking back an admission', locked(refusedAgain), { type: 'take-back-pressed' }],
    [
      'pairing with another list by a link',
      locked({ name: 'offered', busy: false, problem: null, paired: true, back: { name: 'door' } }),
      { type: 'offer-accepted' },
    ],
  ];

  it.each(guarded)('is asked for %s', (_what, start, event) => {
    const asked = after(start, event);
    expect(asked).toMatchObject({ screen: 'pin', effects: [{ type: 'read-pin-wait' }] });
    expect(isIdle(asked.state)).toBe(false);
    const checked = after(asked.state, { type: 'pin-entered', pin: '271828' });
    expect(checked.effects).toEqual([{ type: 'check-pin', pin: '271828' }]);
    expect(JSON.stringify(checked.state)).not.toContain('271828');
    expect(after(checked.state, { type: 'pin-entered', pin: '271828' }).effects).toEqual([]);
    const wrong = after(checked.state, { type: 'pin-refused', refusal: { problem: 'wrong', waitMs: 0 } });
    expect(wrong.screen).toBe('pin');
    const right = after(checked.state, { type: 'pin-accepted' });
    // Exactly what happens without a PIN.
    const free = after({ ...start, hasPin: false }, event);
    expect(right).toEqual({ ...free, state: { ...free.state, hasPin: true } });
    expect(right.screen).not.toBe('pin');
  });

  it.each(guarded)('leaves %s alone if it is not given', (_what, start, event) => {
    for (const type of ['pin-cancelled', 'staff-idle'] as const) {
      const left = after(start, event, { type });
      expect(left.state).toEqual(start.stage.name === 'result' ? { ...start, stage: { name: 'door' } } : start);
      expect(left.effects).toEqual([]);
    }
  });

  it('is not asked for what the device can do for a guest', () => {
    expect(after(locked({ name: 'door' }), { type: 'scanned', scannedId: ticket }).screen).toBe('attempt');
    const light = { status: { ...readyStatus, headTurnAlternative: 'light' } } as const;
    const chosen = after(locked({ name: 'door' }, light), { type: 'turn-chosen', withoutTurn: true });
    expect(chosen.state.withoutTurn).toBe(true);
  });

  it('opens the device screen until it is left, or not operated for a while', () => {
    const open = locked({ name: 'device', unpairing: true });
    expect(after(open, { type: 'staff-idle' })).toMatchObject({ screen: 'scan', effects: [] });
    expect(after(open, { type: 'door-pressed' }, { type: 'device-pressed' }).screen).toBe('pin');
    expect(after({ ...open, hasPin: false }, { type: 'staff-idle' }).screen).toBe('device');
  });

  it('is changed on the device screen alone', () => {
    const choose = { type: 'pin-chosen', pin: '271828' } as const;
    const { state, effects } = after(at({ name: 'device', unpairing: false }), choose);
    expect(effects).toEqual([{ type: 'set-pin', pin: '271828' }]);
    expect(after(state, { type: 'pin-changed', hasPin: true }).state.hasPin).toBe(true);
    expect(after(state, { type: 'pin-not-changed' }).state).toMatchObject({
      hasPin: false,
      stage: { pinFailed: true },
    });
    expect(after(door, choose).effects).toEqual([]);
  });

  it('holds also if the device screen was left before it was stored', () => {
    const left = after(
      at({ name: 'device', unpairing: false }),
      { type: 'pin-chosen', pin: '271828' },
      { type: 'door-pressed' },
    );
    const stored = after(left.state, { type: 'pin-changed', hasPin: true });
    expect(after(stored.state, { type: 'device-pressed' }).screen).toBe('pin');
    expect(after(left.state, { type: 'pin-not-changed' }).state.stage).toMatchObject({
      name: 'device',
      pinFailed: true,
    });
  });

  it('is asked for what may be staff’s until it is known whether there is one', () => {
    const stopped = after(initialState, { type: 'open-failed', failure: 'storage-failed' });
    expect(stopped.screen).toBe('stopped');
    expect(after(stopped.state, { type: 'unpair-pressed' }).screen).toBe('pin');
  });

  it('keeps the device screen shut after a start without data', () => {
    const opening = locked({ name: 'opening' }, { status: null });
    const opened = { type: 'device-opened', status: newStatus, confirmed: true } as const;
    expect(after(opening, opened).screen).toBe('not-ready');
  });
});

describe('pairing by a link', () => {
  const page = 'https://faces.example/kiosk/';
  const read = (text: string, on = page) => readDeviceToken(text, on);
  const offered = { type: 'token-offered', text: token } as const;

  it('reads the token out of a link to this page, in an older browser too', () => {
    const missing = vi.spyOn(URL, 'canParse').mockImplementation(() => expect.fail('is missing'));
    expect(read(`${page}#${token}`)).toEqual({ ok: true, token });
    expect(read(token, '')).toEqual({ ok: true, token });
    expect(read(`http://localhost:3000/kiosk#${token}`, 'http://127.0.0.1:3000/kiosk/')).toEqual({ ok: true, token });
    missing.mockRestore();
  });

  it.each([
    [`https://elsewhere.example/kiosk/#${token}`, page, 'another-page'],
    [`http://faces.example/kiosk/#${token}`, page, 'another-page'],
    [`http://localhost:3001/kiosk/#${token}`, 'http://127.0.0.1:3000/kiosk/', 'another-page'],
    [`https://faces.example/kiosk/#${token}`, '', 'another-page'],
    [page, page, 'not-a-token'],
    [`${page}#${formatSecret('svce', new Uint8Array(32))}`, page, 'another-secret'],
  ])('refuses %s on %s', (text, on, problem) => expect(read(text, on)).toEqual({ ok: false, problem }));

  const hold = { type: 'hold-token', deviceToken: token } as const;
  const startWith = (paired: boolean) =>
    after(initialState, { type: 'pairing-read', paired, hasPin: false, offered: token });

  it.each([true, false])('asks first, paired: %s', (paired) => {
    const read = startWith(paired);
    expect(read.effects).toEqual(paired ? [hold, { type: 'open-device' }] : [hold]);
    const opened = { type: 'device-opened', status: readyStatus, confirmed: true } as const;
    const start = paired ? after(read.state, opened) : read;
    expect(screenOf(start.state)).toMatchObject({ name: 'offer', status: paired ? readyStatus : null });
    expect(JSON.stringify(start.state)).not.toContain(token);
    const accepted = after(start.state, { type: 'offer-accepted' });
    expect(accepted.effects).toEqual([{ type: 'pair-with-held-token' }]);
    expect(after(accepted.state, { type: 'offer-accepted' }).effects).toEqual([]);
    expect(after(accepted.state, { type: 'paired' }).effects).toEqual([{ type: 'open-device' }]);
    const declined = after(start.state, { type: 'offer-declined' });
    expect(declined.screen).toBe(paired ? 'scan' : 'pair');
    expect(declined.effects[0]).toEqual({ type: 'drop-token' });
  });

  it('leaves a list that was not confirmed unconfirmed, also after a while and with a PIN', () => {
    const opened = { type: 'device-opened', status: readyStatus, confirmed: false } as const;
    const asked = after({ ...startWith(true).state, hasPin: true }, opened);
    for (const type of ['staff-idle', 'offer-declined'] as const)
      expect(after(asked.state, { type })).toMatchObject({ screen: 'confirm', effects: [{ type: 'drop-token' }] });
  });

  it('is asked about where the device does not open, too, but not while another tab has it', () => {
    const inUse = after(startWith(true).state, { type: 'open-failed', failure: 'device-in-use' });
    expect(inUse).toMatchObject({ screen: 'stopped', effects: [{ type: 'drop-token' }] });
    const asked = after(startWith(true).state, { type: 'open-failed', failure: 'engine-failed' });
    expect(asked).toMatchObject({ screen: 'offer', effects: [] });
    expect(after(asked.state, { type: 'offer-declined' }).screen).toBe('stopped');
  });

  it('continues where it was if the link holds no token of this page', () => {
    const text = token.slice(0, -1);
    const none = after(initialState, { type: 'pairing-read', paired: true, hasPin: false, offered: text });
    expect(none.effects).toEqual([{ type: 'open-device' }]);
    const unpaired = after(initialState, { type: 'pairing-read', paired: false, hasPin: false, offered: text });
    expect(unpaired.state.stage).toMatchObject({ name: 'pairing', problem: 'not-a-token' });
    expect(after(door, { ...offered, text }).state).toEqual(door);
  });

  it('may come at the door, on the device screen and at the question for the right list, and goes back there', () => {
    const asked = at({ name: 'confirming', busy: false, failed: false });
    for (const start of [door, at({ name: 'device', unpairing: false }), asked]) {
      const asked = after(start, offered);
      expect(asked.screen).toBe('offer');
      expect(after(asked.state, { type: 'offer-declined' })).toMatchObject({
        state: start,
        effects: [{ type: 'drop-token' }],
      });
    }
    expect(after(attempting, offered).state).toEqual(attempting);
  });

  it('is asked for another list on the device screen too', () => {
    const pairing = after(door, { type: 'device-pressed' }, { type: 'pair-another-pressed' });
    expect(pairing.screen).toBe('pair');
    expect(after(pairing.state, { type: 'pair-another-cancelled' }).screen).toBe('device');
    expect(after(pairing.state, { type: 'token-entered', text: 'nonsense' }).state.stage).toMatchObject({
      name: 'pairing',
      problem: 'not-a-token',
      back: { name: 'device' },
    });
    const asked = after(pairing.state, { type: 'token-entered', text: token });
    expect(asked).toMatchObject({ screen: 'offer', effects: [{ type: 'hold-token', deviceToken: token }] });
    // Staff have given the PIN before.
    expect(after({ ...asked.state, hasPin: true }, { type: 'offer-accepted' }).effects).toEqual([
      { type: 'pair-with-held-token' },
    ]);
  });
});

it('the page is not reloaded during an attempt or while staff operate it', () => {
  const idle = Object.entries(sampleStates).filter(([, state]) => isIdle(state));
  for (const [name] of idle) expect(name).toMatch(/^(scan|syncing|not-ready|stopped)/);
  expect(idle.length).toBeGreaterThan(10);
});

it('any order of events leads to a screen, with no ID in the state', () => {
  const ofAnyStage = ['status-changed', 'pin-changed', 'reach-changed', 'camera-changed'];
  const types = [...ofAnyStage, ...new Set(Object.values(stages).flatMap(Object.keys))];
  const yesOrNo = fc.boolean();
  // Each has the members of all.
  const event = fc.record({
    type: fc.constantFrom(...types),
    ...{ paired: yesOrNo, hasPin: yesOrNo, final: yesOrNo, done: yesOrNo, reachable: yesOrNo, withoutTurn: yesOrNo },
    confirmed: yesOrNo,
    ...{ offered: fc.constantFrom(token, 'nonsense'), text: fc.constantFrom(token, 'nonsense') },
    ...{ pin: fc.constant(pin), scannedId: fc.constant(ticket), number: fc.integer({ min: 1, max: 3 }) },
    refusal: fc.record({ problem: fc.constantFrom('wrong', 'wait'), waitMs: fc.nat(9_000) }),
    status: fc.constantFrom(readyStatus, newStatus),
    failure: fc.constantFrom(...openFailures),
    result: fc.constantFrom(...verificationOutcomes.map(resultOf)),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      const { state, screen } = after(initialState, ...(events as unknown as readonly KioskEvent[]));
      expect(screen).toBeTruthy();
      for (const secret of [ticket, token, pin]) expect(JSON.stringify(state)).not.toContain(secret);
    }),
  );
});
