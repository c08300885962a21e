import { visit } from '@svc/device-sdk/testing';
import { describe, expect, it, vi } from 'vitest';
import { NativeStage } from '../testing/native-stage.ts';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const ready = () => new NativeStage().ready();
const ask = (stage: NativeStage) => stage.shell.channel.request.bind(stage.shell.channel);
const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => null,
    (error: { code?: string }) => error.code,
  );

describe('the page of a native shell', () => {
  it('greets, is configured, syncs and lets a guest in', async () => {
    const stage = new NativeStage();
    await stage.load();
    const { status } = await stage.configure();
    expect(status).toMatchObject({ ready: false, core: 'simd' });
    const { result } = await ask(stage)('sync', {});
    expect(result).toMatchObject({ ok: true, people: 2 });
    expect(await stage.verify()).toBe('Match/verified');
    expect(stage.shell.prompts.at(-1)).toBeNull();
    expect(stage.shown.at(-1)).toBeNull();
    expect(stage.shell.statuses.at(-1)).toMatchObject({ ready: true, people: 2 });
  });

  it('answers nothing before configure, and configure once', async () => {
    const stage = new NativeStage();
    await stage.load();
    const request = ask(stage);
    const attempt = stage.newAttempt();
    expect(await codeOf(request('status', {}))).toBe('not-configured');
    expect(await codeOf(request('sync', {}))).toBe('not-configured');
    expect(await codeOf(request('cancel', { attempt }))).toBe('not-configured');
    expect(await codeOf(stage.verify())).toBe('not-configured');
    const [first, second] = [codeOf(stage.configure()), codeOf(stage.configure())];
    expect([await first, await second]).toEqual([null, 'busy']);
    expect(await codeOf(stage.configure())).toBe('busy');
  });

  it('refuses a token that is none, and then takes the right one', async () => {
    const stage = new NativeStage();
    await stage.load();
    expect(await codeOf(stage.configure({ deviceToken: 'svcd_nonsense' }))).toBe('configuration-invalid');
    expect(await codeOf(stage.configure())).toBeNull();
  });

  it('cancels the attempt that is named, and no other', async () => {
    const stage = await ready();
    const attempt = stage.newAttempt();
    stage.onFrame = async (index) => {
      if (index === 3) await ask(stage)('cancel', { attempt: stage.newAttempt() });
      if (index === 10) await ask(stage)('cancel', { attempt });
    };
    expect(await stage.verify('ticket-1', attempt)).toBe('ChallengeFailed/cancelled');
    stage.onFrame = () => undefined;
    await ask(stage)('cancel', { attempt });
    expect(await stage.verify()).toBe('Match/verified');
  });

  it('ends an attempt whose cancellation came before it', async () => {
    const stage = await ready();
    const attempt = stage.newAttempt();
    await ask(stage)('cancel', { attempt });
    expect(await stage.verify('ticket-1', attempt)).toBe('NoFace/cancelled');
    expect(await stage.verify()).toBe('Match/verified');
  });

  it('ends an attempt in the background, opens no camera there, and syncs in the foreground', async () => {
    const stage = await ready();
    stage.onFrame = async (index) => {
      if (index === 10) await ask(stage)('lifecycle', { state: 'background' });
    };
    expect(await stage.verify()).toBe('ChallengeFailed/cancelled');
    let frames = 0;
    stage.onFrame = () => {
      frames += 1;
    };
    expect(await stage.verify()).toBe('NoFace/cancelled');
    expect(frames).toBeLessThanOrEqual(1);
    const syncs = stage.harness.service.requests.length;
    await ask(stage)('lifecycle', { state: 'low-memory' });
    await ask(stage)('lifecycle', { state: 'foreground' });
    await expect.poll(() => stage.harness.service.requests.length).toBe(syncs + 1);
    expect(await stage.verify()).toBe('Match/verified');
  });

  it.each(['denied', 'restricted'] as const)(
    'says camera-denied where the app’s permission is %s',
    async (permission) => {
      const stage = await ready();
      stage.shell.permission = permission;
      expect(await stage.verify()).toBe('NoFace/camera-denied');
      stage.shell.permission = 'granted';
      expect(await stage.verify()).toBe('Match/verified');
    },
  );

  it('disposes during an attempt, and answers nothing afterwards', async () => {
    const stage = await ready();
    stage.onFrame = async (index) => {
      if (index === 10) void ask(stage)('dispose', {});
    };
    expect(await stage.verify()).toBe('ChallengeFailed/cancelled');
    expect(await codeOf(ask(stage)('status', {}))).toBe('disposed');
    expect(await codeOf(stage.configure())).toBe('disposed');
    await ask(stage)('dispose', {});
  });

  it('asks for no light where the person wants reduced motion', async () => {
    for (const reducesMotion of [true, false]) {
      const stage = new NativeStage();
      stage.reducesMotion = reducesMotion;
      await stage.load();
      const { status } = await stage.configure({ lightChallenge: 'when-possible' });
      expect(status.protections.light).toBe(reducesMotion ? 'off' : 'when-possible');
      expect(stage.settings?.withLight).toBe(!reducesMotion);
    }
  });

  it('takes its own two buttons as words of the shell', async () => {
    const stage = await ready();
    stage.onFrame = (index) => {
      if (index === 10) stage.settings?.onCancel();
    };
    expect(await stage.verify()).toBe('ChallengeFailed/cancelled');
    stage.harness.service.headTurnAlternative = 'staff';
    stage.onFrame = () => undefined;
    await ask(stage)('sync', {});
    stage.scenes = visit(1, 'left').map((head) => ({ ...head, yawDeg: 0 }));
    const attempt = stage.newAttempt();
    stage.shell.onPrompt = (_, prompt) => {
      if (prompt?.key === 'staff-confirms') stage.settings?.onConfirm();
    };
    const asked = { attempt, scannedId: 'ticket-1', headTurn: 'alternative' } as const;
    expect((await ask(stage)('verify', asked)).result).toMatchObject({ reason: 'staff-confirmed' });
  });
});

describe('the guard', () => {
  it('is thirty days after the last sync, earlier with a deadline, and gone when nothing is left', async () => {
    const stage = await ready();
    const started = stage.harness.time.clock.wallMs();
    const close = (to: number) => Math.abs((stage.shell.eraseAtMs ?? 0) - to) < 5_000;
    expect(close(started + 30 * DAY)).toBe(true);
    stage.harness.service.retentionDeadline = new Date(started + 3 * HOUR).toISOString();
    await ask(stage)('sync', {});
    expect(close(started + 3 * HOUR)).toBe(true);
    stage.harness.service.wipe = 'device-revoked';
    await ask(stage)('sync', {});
    expect(stage.shell.eraseAtMs).toBeNull();
  });

  it('is set before the first keys are stored: the page may end right after', async () => {
    const stage = new NativeStage();
    const guards: (number | null)[] = [];
    stage.wires = {
      ...stage.wires,
      toShell: (text, deliver) => {
        if (text.includes('keyStore.keepAs')) guards.push(stage.shell.eraseAtMs);
        deliver(text);
      },
    };
    await stage.ready();
    const { clock } = stage.harness.time;
    expect(guards).toEqual([expect.any(Number)]);
    expect(Math.abs((guards[0] ?? 0) - (clock.wallMs() + 30 * DAY))).toBeLessThan(5_000);
  });

  it('is told once at a time, and kept before a sync is answered', async () => {
    const stage = await ready();
    // The shell's answers.
    const held: (() => void)[] = [];
    stage.wires.toPage = (text, deliver) => {
      if (text.includes('"guard.set"')) held.push(() => deliver(text));
      else deliver(text);
    };
    const { service, time } = stage.harness;
    service.retentionDeadline = new Date(time.clock.wallMs() + 3 * HOUR).toISOString();
    let syncs = 0;
    const sync = () => ask(stage)('sync', {}).then(() => (syncs += 1));
    const first = sync();
    await vi.waitFor(() => expect(held).toHaveLength(1), 30_000);
    service.retentionDeadline = new Date(time.clock.wallMs() + 2 * HOUR).toISOString();
    const second = sync();
    const told = () => stage.shell.statuses.length;
    const before = told();
    await vi.waitFor(() => expect(told()).toBeGreaterThan(before), 30_000);
    expect([syncs, held.length]).toEqual([0, 1]);
    held.shift()?.();
    await vi.waitFor(() => expect(held).toHaveLength(1), 30_000);
    held.shift()?.();
    await Promise.all([first, second]);
    expect(Math.abs((stage.shell.eraseAtMs ?? 0) - (time.clock.wallMs() + 2 * HOUR))).toBeLessThan(5_000);
  });

  it('is told in the wall clock’s time', async () => {
    const stage = new NativeStage();
    // The phone is an hour behind the service.
    const { time, service } = stage.harness;
    service.retentionDeadline = new Date(time.clock.wallMs() + 3 * HOUR).toISOString();
    const transport = stage.harness.ports.transport;
    Object.assign(stage.harness.ports, {
      transport: async (request: Parameters<typeof transport>[0]) => {
        const answer = await transport(request);
        time.setWall(time.clock.wallMs() - HOUR);
        return answer;
      },
    });
    await stage.ready();
    expect(Math.abs((stage.shell.eraseAtMs ?? 0) - (time.clock.wallMs() + 3 * HOUR))).toBeLessThan(5_000);
  });

  it('lets the shell delete everything while no page runs: the next page has nothing left', async () => {
    const stage = await ready();
    stage.crash();
    await stage.shell.erase();
    await stage.load();
    const { status } = await stage.configure();
    expect(status).toMatchObject({ ready: false, people: 0, notReady: { reason: 'state-untrusted' } });
    expect(await stage.verify()).toBe('LeaseExpired/state-untrusted');
    expect((await ask(stage)('sync', {})).result).toMatchObject({ ok: true, people: 2 });
    expect(await stage.verify()).toBe('Match/verified');
  });
});
