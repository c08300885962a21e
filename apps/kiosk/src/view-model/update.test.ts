import { type VerificationResult, verdictReasons, verificationOutcomes } from '@svc/device-sdk';
import { formatSecret } from '@svc/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type OpenFailure, openFailures } from '../device/port.ts';
import { at, newStatus, readyStatus, sampleStates } from '../testing/sample-states.ts';
import { adviceFor, screenOf } from './screen.ts';
import { initialState, type KioskEvent, type State } from './state.ts';
import { isIdle, update } from './update.ts';

const token = formatSecret('svcd', new Uint8Array(32).fill(7));
const ticket = 'ticket-4711';

/** The state after some events, and the effects of the last. */
function after(start: State, ...events: readonly KioskEvent[]) {
  let state = start;
  let effects: ReturnType<typeof update>[1] = [];
  for (const event of events) [state, effects] = update(state, event);
  return { state, effects, screen: screenOf(state).name };
}

function resultOf(outcome: VerificationResult['outcome']): VerificationResult {
  return {
    ...({ outcome, reason: verdictReasons[outcome][0] } as VerificationResult),
    protections: readyStatus.protections,
    // Counts and durations are not shown.
    timings: {} as VerificationResult['timings'],
    counts: {} as VerificationResult['counts'],
  };
}

const door = at({ name: 'door' });
const attempting = after(door, { type: 'scanned', scannedId: ticket }).state;

describe('pairing', () => {
  const unpaired = after(initialState, { type: 'pairing-read', paired: false });

  it('starts if nothing is stored', () => {
    expect(unpaired).toMatchObject({ screen: 'pair', effects: [] });
    expect(after(initialState, { type: 'pairing-read', paired: true }).effects).toEqual([{ type: 'open-device' }]);
  });

  it('accepts a token pasted with blanks and line breaks', () => {
    const pasted = `  ${token.slice(0, 20)}\n${token.slice(20)} `;
    const { state, effects } = after(unpaired.state, { type: 'token-entered', text: pasted });
    expect(effects).toEqual([{ type: 'pair', deviceToken: token }]);
    expect(state.stage).toEqual({ name: 'pairing', busy: true, problem: null });
  });

  it.each([
    ['', 'not-a-token'],
    [token.slice(0, -1), 'not-a-token'],
    [`${token}x`, 'not-a-token'],
    [formatSecret('svck', new Uint8Array(32)), 'another-secret'],
  ])('refuses «%s»', (text, problem) => {
    const { state, effects } = after(unpaired.state, { type: 'token-entered', text });
    expect(state.stage).toMatchObject({ name: 'pairing', busy: false, problem });
    expect(effects).toEqual([]);
  });

  it('happens once, however often it is asked for', () => {
    const enter: KioskEvent = { type: 'token-entered', text: token };
    expect(after(unpaired.state, enter, enter).effects).toEqual([]);
  });

  it('shows the device screen after pairing, and the door after every other start', () => {
    const opening = after(unpaired.state, { type: 'token-entered', text: token }, { type: 'paired' });
    expect(opening.effects).toEqual([{ type: 'open-device' }]);
    expect(after(opening.state, { type: 'device-opened', status: newStatus }).screen).toBe('device');
    expect(after(opening.state, { type: 'device-opened', status: readyStatus }).screen).toBe('scan');
  });

  it('can be retried if the service did not answer', () => {
    const failed = after(
      unpaired.state,
      { type: 'token-entered', text: token },
      { type: 'pairing-failed', problem: 'service-unreachable' },
    );
    expect(after(failed.state, { type: 'token-entered', text: token }).effects).toHaveLength(1);
  });
});

describe('a device that does not open', () => {
  const opening = at({ name: 'opening' });

  it.each(openFailures)('says why: %s', (failure) => {
    const { state, screen } = after(opening, { type: 'open-failed', failure });
    expect(screen).toBe('stopped');
    expect(after(state, { type: 'retry-pressed' }).effects).toEqual([{ type: 'open-device' }]);
    const promised = after(state, { type: 'staff-in-view-confirmed' }).effects;
    expect(promised).toEqual(failure === 'passive-liveness-missing' ? [{ type: 'promise-staff-in-view' }] : []);
  });
});

describe('the door', () => {
  it('begins an attempt with the scanned ID, and does not store it', () => {
    const { state, effects, screen } = after(door, { type: 'scanned', scannedId: ticket });
    expect(effects).toEqual([{ type: 'verify', number: 1, scannedId: ticket, withoutTurn: false }]);
    expect(screen).toBe('attempt');
    expect(JSON.stringify(state)).not.toContain(ticket);
  });

  it('takes no ticket while the device is not ready', () => {
    const notReady = at({ name: 'door' }, { status: newStatus });
    expect(after(notReady, { type: 'scanned', scannedId: ticket })).toMatchObject({ effects: [], screen: 'not-ready' });
  });

  it('shows immediately when the device stops or starts being ready', () => {
    const stopped = after(door, { type: 'status-changed', status: { ...newStatus, syncing: false } });
    expect(stopped.screen).toBe('not-ready');
    expect(after(stopped.state, { type: 'status-changed', status: readyStatus }).screen).toBe('scan');
  });
});

describe('an attempt', () => {
  const prompt = { key: 'look-at-camera', progress: 0.1, remainingMs: 9_000 } as const;

  it('shows its own prompts only', () => {
    expect(after(attempting, { type: 'prompted', number: 1, prompt }).state.stage).toMatchObject({ prompt });
    expect(after(attempting, { type: 'prompted', number: 2, prompt }).state).toBe(attempting);
  });

  it('ignores the next ticket, a sync, and input on the device screen', () => {
    for (const type of ['device-pressed', 'sync-pressed', 'unpair-confirmed'] as const) {
      expect(after(attempting, { type }).state).toBe(attempting);
    }
    expect(after(attempting, { type: 'scanned', scannedId: 'another' })).toMatchObject({
      state: attempting,
      effects: [],
    });
  });

  it.each(verificationOutcomes)('ends as %s, stays for a while, and leaves', (outcome) => {
    const ended = after(attempting, { type: 'verified', number: 1, result: resultOf(outcome) });
    expect(ended.screen).toBe('result');
    const stays = ended.effects.find((effect) => effect.type === 'return-later');
    expect(stays).toMatchObject({ number: 1 });
    expect(ended.effects).toContainEqual({ type: 'chime', tone: outcome === 'Match' ? 'let-in' : 'other' });
    expect(after(ended.state, { type: 'shown-long-enough', number: 1 }).screen).toBe('scan');
    expect(after(ended.state, { type: 'next-pressed' }).screen).toBe('scan');
  });

  it('that was cancelled has no result, and its late events do not reach the next one', () => {
    const cancelled = after(attempting, { type: 'cancel-pressed' });
    expect(cancelled).toMatchObject({ screen: 'scan', effects: [{ type: 'end-attempt' }] });
    const next = after(cancelled.state, { type: 'scanned', scannedId: 'another' });
    expect(next.effects).toEqual([{ type: 'verify', number: 2, scannedId: 'another', withoutTurn: false }]);
    expect(after(next.state, { type: 'verified', number: 1, result: resultOf('Match') }).state).toBe(next.state);
  });

  it('may follow a result immediately, whose timer then does not end it', () => {
    const shown = after(attempting, { type: 'verified', number: 1, result: resultOf('NoFace') });
    const next = after(shown.state, { type: 'scanned', scannedId: ticket });
    expect(next.screen).toBe('attempt');
    expect(after(next.state, { type: 'shown-long-enough', number: 1 }).screen).toBe('attempt');
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

describe('unpairing a device that does not open', () => {
  const stopped = (failure: OpenFailure) => at({ name: 'stopped', failure, unpairing: false });

  it.each(openFailures.filter((failure) => failure !== 'device-in-use'))('is asked for first: %s', (failure) => {
    expect(after(stopped(failure), { type: 'unpair-confirmed' }).effects).toEqual([]);
    const asked = after(stopped(failure), { type: 'unpair-pressed' });
    expect(asked).toMatchObject({ effects: [], screen: 'stopped', state: { stage: { failure, unpairing: true } } });
    expect(isIdle(asked.state)).toBe(false);
    expect(after(asked.state, { type: 'unpair-cancelled' }).state).toEqual(stopped(failure));
    expect(after(asked.state, { type: 'unpair-confirmed' }).effects).toEqual([{ type: 'forget' }]);
  });

  it('is not offered if another tab has it open', () => {
    expect(after(stopped('device-in-use'), { type: 'unpair-pressed' }).state).toEqual(stopped('device-in-use'));
  });
});

describe('unpairing', () => {
  const asked = after(door, { type: 'device-pressed' }, { type: 'unpair-pressed' });

  it('asks for confirmation first', () => {
    expect(after(door, { type: 'device-pressed' }, { type: 'unpair-confirmed' }).effects).toEqual([]);
    expect(asked.effects).toEqual([]);
    expect(after(asked.state, { type: 'unpair-cancelled' }).screen).toBe('device');
  });

  it('shows only its own screen until it is done', () => {
    const forgetting = after(asked.state, { type: 'unpair-confirmed' });
    expect(forgetting.effects).toEqual([{ type: 'forget' }]);
    expect(after(forgetting.state, { type: 'scanned', scannedId: ticket }).screen).toBe('loading');
    const done = after(forgetting.state, { type: 'forgotten' });
    expect(done).toMatchObject({ screen: 'pair', state: { status: null } });
  });
});

it("every outcome has the advice of the interface's table", () => {
  expect(adviceFor).toEqual({
    Match: 'let-in',
    NotEnrolled: 'standard-check-in',
    LeaseExpired: 'standard-check-in',
    Expired: 'standard-check-in',
    LivenessFailed: 'call-staff',
    ChallengeFailed: 'call-staff',
    NoMatch: 'call-staff',
    NoFace: 'call-staff',
  });
});

it('the page is not reloaded during an attempt or while staff operate it', () => {
  const idle = Object.entries(sampleStates).filter(([, state]) => isIdle(state));
  for (const [name] of idle) expect(name).toMatch(/^(scan|syncing|not-ready|stopped)/);
  expect(idle.length).toBeGreaterThan(10);
});

it('any order of events leads to a screen, with no ID in the state', () => {
  const event: fc.Arbitrary<KioskEvent> = fc.oneof(
    fc.record({ type: fc.constant('pairing-read' as const), paired: fc.boolean() }),
    fc.record({ type: fc.constant('scanned' as const), scannedId: fc.constant(ticket) }),
    fc.record({ type: fc.constant('token-entered' as const), text: fc.constantFrom(token, 'nonsense') }),
    fc.record({
      type: fc.constantFrom('device-opened' as const, 'status-changed' as const),
      status: fc.constantFrom(readyStatus, newStatus),
    }),
    fc.record({ type: fc.constant('open-failed' as const), failure: fc.constantFrom(...openFailures) }),
    fc.record({
      type: fc.constant('verified' as const),
      number: fc.integer({ min: 1, max: 3 }),
      result: fc.constantFrom(...verificationOutcomes.map(resultOf)),
    }),
    fc.record({ type: fc.constant('turn-chosen' as const), withoutTurn: fc.boolean() }),
    fc.record({ type: fc.constant('shown-long-enough' as const), number: fc.integer({ min: 1, max: 3 }) }),
    fc.record({
      type: fc.constantFrom(
        ...(['paired', 'forgotten', 'cancel-pressed', 'next-pressed', 'device-pressed', 'door-pressed'] as const),
        ...(['retry-pressed', 'staff-in-view-confirmed', 'unpair-pressed', 'unpair-cancelled'] as const),
        ...(['unpair-confirmed', 'sync-pressed', 'staff-confirm-pressed'] as const),
      ),
    }),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      const { state, screen } = after(initialState, ...events);
      expect(screen).toBeTruthy();
      expect(JSON.stringify(state)).not.toContain(ticket);
      expect(JSON.stringify(state)).not.toContain(token);
    }),
  );
});
