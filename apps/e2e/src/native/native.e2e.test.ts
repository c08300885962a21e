import { chromiumPath } from '@svc/benchmarks/inputs/browser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { guests } from '../demo/scenarios.ts';
import { NativeDoor } from './native-door.ts';

const JOURNEY_MS = 240_000;
const DAY = 24 * 60 * 60_000;

/** The bytes in every form in which a text or a file could have them. */
function formsOf(bytes: Uint8Array): string[] {
  const buffer = Buffer.from(bytes);
  // Within a longer run the letters depend on where the bytes begin; their first and last are of the neighbours too.
  const aligned = [0, 1, 2].map((lead) =>
    Buffer.concat([Buffer.alloc(lead), buffer])
      .toString('base64url')
      .slice(Math.ceil((lead * 8) / 6), -2),
  );
  return [
    ...aligned,
    ...aligned.map((text) => text.replaceAll('-', '+').replaceAll('_', '/')),
    buffer.toString('hex'),
    [...bytes].join(),
  ];
}

describe.skipIf(chromiumPath === undefined)('the page of a native shell in Chromium', { timeout: JOURNEY_MS }, () => {
  let door: NativeDoor;

  beforeAll(async () => {
    door = await NativeDoor.open();
  }, JOURNEY_MS);

  afterAll(() => door?.close(), JOURNEY_MS);

  it('greets, is configured and syncs over the shell', async () => {
    await door.load();
    const { status } = await door.configure();
    expect(status).toMatchObject({ ready: false, notReady: { reason: 'never-synced' }, core: 'simd' });
    expect(await door.outcome()).toBe('LeaseExpired/never-synced');
    expect(await door.sync()).toMatchObject({ ok: true, outcome: 'updated', people: 1 });
    expect(door.shell.statuses.at(-1)).toMatchObject({ ready: true, people: 1 });
    expect(Math.abs((door.shell.eraseAtMs ?? 0) - Date.now() - 30 * DAY)).toBeLessThan(60_000);
  });

  it('lets the guest in who turns as asked, and shows what to do', async () => {
    await door.show({ seed: guests.anna });
    const asked = door.outcome();
    expect(await door.page.locator('[data-prompt="turn-head"] .prompt-words').textContent()).toMatch(
      /^Turn your head to your (left|right)$/,
    );
    expect(await asked).toBe('Match/verified');
    const keys = door.shell.prompts.map((prompt) => prompt?.key ?? null);
    expect(keys).toEqual(expect.arrayContaining(['look-at-camera', 'turn-head', 'look-back', 'finished', null]));
    expect(await door.page.locator('main').isHidden()).toBe(true);
  });

  it('has no key of the shell in a message or in its storage', async () => {
    const keys = await door.keys();
    expect(keys.map(({ name }) => name).sort()).toEqual(['device-key.pkcs8', 'list-keys.1 4', 'mac.key']);
    const said = door.texts.map(({ text }) => text).join('\n');
    const forms = keys.flatMap(({ bytes }) => formsOf(bytes));
    expect(forms.filter((form) => said.includes(form))).toEqual([]);
    // The forms are those of the messages: the public key, which is told, is found.
    const told = Buffer.from(/"publicKey":"([\w-]+)"/.exec(said)?.[1] ?? '', 'base64url');
    expect(formsOf(told).some((form) => said.includes(form))).toBe(true);
    expect(await door.page.evaluate('indexedDB.databases()')).toEqual([]);
    expect(await door.page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
  });

  it('asked nothing of the network, and broke no rule', () => {
    expect(door.complaints).toEqual([]);
  });

  it('may not run code from text, nor reach another origin', async () => {
    const refused = await door.page.evaluate(async () => {
      const thrown = (error: unknown) => (error instanceof Error ? error.name : String(error));
      const run = () => {
        try {
          // biome-ignore lint/security/noGlobalEval: it has to be refused
          globalThis.eval('1');
          return 'ran';
        } catch (error) {
          return thrown(error);
        }
      };
      // Later, because what a debugger evaluates is free of the policy.
      const code = await new Promise<string>((resolve) => {
        setTimeout(() => resolve(run()));
      });
      return `${code}, ${await fetch('https://faces.example/').then(() => 'reached', thrown)}`;
    });
    expect(refused).toBe('EvalError, TypeError');
    // Both are reported to the console.
    await expect.poll(() => door.complaints.length).toBeGreaterThanOrEqual(1);
  });
});
