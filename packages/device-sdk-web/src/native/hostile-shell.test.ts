import { visit } from '@svc/device-sdk/testing';
import type { Envelope } from '@svc/device-sdk-native';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NativeStage, passOn } from '../testing/native-stage.ts';

/** A few of the messages in `npm test`, all of them with this. */
const isAll = process.env.SVC_TEST_NATIVE_ALL === '1';
const STEP = isAll ? 1 : 37;
const STEP_MS = 1_000;
/** A lost answer to the question for the camera: people take their time for that one. */
const LONGEST_ATTEMPT_MS = 61_000;
/** Of the page's waits: a store's answer has ten seconds, and a few can be lost in a row. */
const LONGEST_MS = 4 * 60_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Waits for an answer, and lets time pass while nothing else happens. @returns with the time that passed */
async function settled<T>(stage: NativeStage, asked: Promise<T>) {
  let isOver = false;
  const over = asked.then(
    (value) => ({ value, code: null }),
    (error: { code?: string }) => ({ value: null, code: error.code ?? String(error) }),
  );
  void over.then(() => {
    isOver = true;
  });
  let passedMs = 0;
  while (!isOver) {
    const before = stage.texts.length;
    await stage.harness.time.advance(0);
    if (isOver || stage.busy > 0 || stage.texts.length > before) continue;
    passedMs += STEP_MS;
    if (passedMs > LONGEST_MS) throw new Error('a hang');
    vi.advanceTimersByTime(STEP_MS);
    await stage.harness.time.advance(STEP_MS);
  }
  return { ...(await over), passedMs };
}

type Fault = (message: {
  readonly text: string;
  readonly deliver: (text: string) => void;
  readonly stage: NativeStage;
}) => void;

/** Lets everything through but the nth message of both directions after the load. */
function withFault(stage: NativeStage, nth: number, fault: Fault, isForGood = false): () => number {
  let seen = 0;
  const wire = (text: string, deliver: (text: string) => void) => {
    const isHit = isForGood ? seen >= nth : seen === nth;
    seen += 1;
    if (isHit) fault({ text, deliver, stage });
    else deliver(text);
  };
  stage.wires = { toShell: wire, toPage: wire };
  return () => seen;
}

const edited =
  (edit: (envelope: Envelope) => unknown): Fault =>
  ({ text, deliver }) => {
    const after = edit(JSON.parse(text) as Envelope);
    deliver(typeof after === 'string' ? after : JSON.stringify(after));
  };

/** What of a message's form is wrong the contract's vectors refuse. */
const faults: Readonly<Record<string, Fault>> = {
  lost: () => undefined,
  'delivered twice': ({ text, deliver }) => {
    deliver(text);
    deliver(text);
  },
  'a minute late': ({ text, deliver }) => void setTimeout(() => deliver(text), 60_000),
  'cut in half': edited((envelope) => JSON.stringify(envelope).slice(0, 40)),
  'with another id': edited((envelope) => ({ ...envelope, id: (envelope.id ?? 0) + 1_000 })),
  'as a failure': edited((envelope) => ({
    ...envelope,
    kind: 'failure',
    body: { code: 'storage-failed', message: '' },
  })),
};

interface Visit {
  readonly outcomes: readonly string[];
  /** Of each request, in the page's time. */
  readonly passedMs: readonly number[];
}

/** Configures, syncs and lets one person through. Ends early where a request fails. */
async function dialogue(stage: NativeStage): Promise<Visit> {
  const [outcomes, passedMs]: [string[], number[]] = [[], []];
  const asks: readonly (() => Promise<unknown>)[] = [() => stage.configure(), () => stage.sync(), () => stage.verify()];
  for (const ask of asks) {
    const { value, code, passedMs: ms } = await settled(stage, ask());
    passedMs.push(ms);
    outcomes.push(typeof value === 'string' ? value : (code ?? 'answered'));
  }
  return { outcomes, passedMs };
}

function newStage(who = 1): NativeStage {
  const stage = new NativeStage();
  stage.harness.service.reEntry = 'refuse';
  stage.scenes = visit(who, 'left');
  return stage;
}

/** How many messages the undisturbed dialogue has. */
async function countMessages(): Promise<number> {
  const stage = newStage();
  await stage.load();
  const seen = withFault(stage, -1, () => undefined);
  expect((await dialogue(stage)).outcomes).toEqual(['answered', 'answered', 'Match/verified']);
  return seen();
}

/** A pack always has its own keys, and keys always have a pack. */
async function expectOneGeneration({ harness }: NativeStage, where: string): Promise<void> {
  const { keyStore, packStore } = harness.ports;
  const [keys, packs] = [await keyStore.listKeyGenerations(), await packStore.listPacks()];
  expect([...keys], where).toEqual([...packs]);
  expect(packs.length, where).toBeLessThanOrEqual(1);
}

/** Afterwards a page of an honest shell works, and knows exactly the people whom it told the host to let in. */
async function expectSound(stage: NativeStage, wasLetIn: boolean, where: string): Promise<void> {
  stage.wires = { toShell: passOn, toPage: passOn };
  stage.scenes = visit(1, 'left');
  await stage.load();
  const { outcomes } = await dialogue(stage);
  const [configured, synced, verified] = outcomes;
  expect([configured, synced], where).toEqual(['answered', 'answered']);
  await expectOneGeneration(stage, where);
  // A page that ends between the record and its answer has remembered somebody who was not let in.
  expect(wasLetIn ? ['NoMatch/already-let-in'] : ['Match/verified', 'NoMatch/already-let-in'], where).toContain(
    verified,
  );
}

const positions = (count: number): number[] => {
  const first = isAll ? 0 : 3;
  return Array.from({ length: Math.ceil(count / STEP) }, (_, i) => first + i * STEP);
};

describe('a shell that is hostile at one message', { timeout: 600_000 }, () => {
  it.each(Object.keys(faults))('%s: the page answers, lets nobody else in, and goes on', async (name) => {
    const fault = faults[name] ?? (() => undefined);
    for (const nth of positions(await countMessages())) {
      for (const who of [1, 2]) {
        const stage = newStage(who);
        await stage.load();
        withFault(stage, nth, fault);
        const { outcomes, passedMs } = await dialogue(stage);
        const where = `message ${nth} ${name}, person ${who}: ${outcomes.join()}`;
        const isLetIn = outcomes.includes('Match/verified');
        if (who === 2) expect(isLetIn, where).toBe(false);
        // Without its own answer the shell gives up last.
        if (outcomes[2] !== 'timeout') expect(passedMs[2], where).toBeLessThanOrEqual(LONGEST_ATTEMPT_MS);
        await expectSound(stage, isLetIn, where);
      }
    }
  });

  it('is silent from there on: the attempt ends all the same, never with a match that was not kept', async () => {
    for (const nth of positions(await countMessages())) {
      const stage = newStage();
      await stage.load();
      withFault(stage, nth, () => undefined, true);
      const { outcomes } = await dialogue(stage);
      const where = `silent from message ${nth}: ${outcomes.join()}`;
      await expectSound(stage, outcomes.includes('Match/verified'), where);
    }
  });

  it.each(['before', 'after'] as const)('whose renderer ends %s it: the next page goes on', async (when) => {
    for (const nth of positions(await countMessages())) {
      const stage = newStage();
      await stage.load();
      withFault(stage, nth, ({ text, deliver }) => {
        if (when === 'after') deliver(text);
        stage.crash();
      });
      const asked = dialogue(stage);
      // The shell sees the renderer end, and loads the page again.
      await settled(stage, Promise.race([asked, untilGone(stage)]));
      await expectSound(stage, false, `renderer ended ${when} message ${nth}`);
    }
  });
});

/** Resolves when the stage's page has been silent for long. */
async function untilGone(stage: NativeStage): Promise<void> {
  for (let quiet = 0, before = -1; quiet < 5; quiet += 1) {
    for (let i = 0; i < 50; i += 1) await turn();
    if (stage.texts.length !== before) quiet = 0;
    before = stage.texts.length;
  }
}
