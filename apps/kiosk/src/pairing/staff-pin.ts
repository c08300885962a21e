/** What is stored of a PIN. */
export interface PinVerifier {
  readonly salt: readonly number[];
  readonly iterations: number;
  /** PBKDF2-HMAC-SHA-256 of the PIN (RFC 8018 section 5.2), 32 bytes. */
  readonly hash: readonly number[];
}

/** Wrong tries in a row, and how much of the wait after the last one was left when this was stored. */
export interface PinTries {
  readonly failures: number;
  readonly waitLeftMs: number;
}

export const noTries: PinTries = { failures: 0, waitLeftMs: 0 };

/** Stores the PIN beside the pairing. Rejects with the browser's storage errors. */
export interface PinStore {
  readPin(): Promise<PinVerifier | null>;
  /** Also forgets the wrong tries. */
  writePin(verifier: PinVerifier): Promise<void>;
  /** Replaces the tries in one transaction, so that two tabs do not count one try twice. @returns the new ones */
  changeTries(next: (tries: PinTries) => PinTries): Promise<PinTries>;
}

export const PIN_DIGITS = { min: 4, max: 12 } as const;
export const isPin = (text: string): boolean => /^[0-9]{4,12}$/.test(text);

/**
 * As OWASP's Password Storage Cheat Sheet asks for PBKDF2-HMAC-SHA-256: a fraction of a second on a tablet. Short PINs
 * can be guessed by whoever reads the disk, however slow the hash.
 */
const ITERATIONS = 600_000;
const FREE_TRIES = 5;
const FIRST_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 60 * 60_000;
/** A reload repeats at most this much of a wait. */
const STORE_WAIT_EVERY_MS = 15_000;

/** The wait after so many wrong tries in a row: none for the first four, 30 seconds, then doubling up to an hour. */
export function waitAfterMs(failures: number): number {
  if (failures < FREE_TRIES) return 0;
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - FREE_TRIES));
}

async function derive(pin: string, salt: readonly number[], iterations: number): Promise<readonly number[]> {
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(pin), 'PBKDF2', false, ['deriveBits']);
  const bits = { name: 'PBKDF2', hash: 'SHA-256', salt: Uint8Array.from(salt), iterations };
  return [...new Uint8Array(await crypto.subtle.deriveBits(bits, key, 256))];
}

/** {@link createStaffPin} */
export type StaffPin = ReturnType<typeof createStaffPin>;

/**
 * The PIN that keeps guests out of what is staff's, and whose wrong tries are slowed. A wait runs by the page's monotonic clock and only while the page is open: neither
 * the system's clock nor a reload shortens it.
 */
export function createStaffPin(o: {
  readonly store: PinStore;
  readonly monotonicMs: () => number;
  readonly later: (afterMs: number, action: () => void) => void;
  /** For tests. */
  readonly iterations?: number;
}) {
  const { store, monotonicMs, iterations = ITERATIONS } = o;
  /** The end of the wait after so many tries. */
  let wait = { failures: 0, untilMs: Number.NEGATIVE_INFINITY };
  let isStoring = false;

  function leftMs({ failures, waitLeftMs }: PinTries): number {
    // Tries of another tab, or from before a reload.
    if (failures !== wait.failures) wait = { failures, untilMs: monotonicMs() + waitLeftMs };
    return Math.max(0, Math.ceil(wait.untilMs - monotonicMs()));
  }

  const storeRest = () => store.changeTries((tries) => ({ ...tries, waitLeftMs: leftMs(tries) }));

  /** Stores the rest of the wait from time to time. */
  function storeLater(): void {
    if (isStoring) return;
    isStoring = true;
    o.later(STORE_WAIT_EVERY_MS, () => {
      isStoring = false;
      storeRest().then(
        ({ waitLeftMs }) => waitLeftMs > 0 && storeLater(),
        () => storeLater(),
      );
    });
  }

  return {
    isSet: async () => (await store.readPin()) !== null,
    /** @param pin 4 to 12 digits @throws RangeError for anything else */
    async set(pin: string): Promise<void> {
      if (!isPin(pin)) throw new RangeError('a PIN has 4 to 12 digits');
      const salt = [...crypto.getRandomValues(new Uint8Array(16))];
      await store.writePin({ salt, iterations, hash: await derive(pin, salt, iterations) });
    },
    /** The rest of a wait, in milliseconds. */
    async waitMs(): Promise<number> {
      const { waitLeftMs } = await storeRest();
      if (waitLeftMs > 0) storeLater();
      return waitLeftMs;
    },
    /** Counted before it is compared, so that a reload does not undo a try. */
    async check(pin: string): Promise<{ readonly ok: true } | { readonly ok: false; readonly waitMs: number }> {
      const verifier = await store.readPin();
      if (verifier === null) return { ok: true };
      let waitMs = 0;
      const counted = await store.changeTries((tries) => {
        waitMs = leftMs(tries);
        if (waitMs > 0) return { ...tries, waitLeftMs: waitMs };
        const failures = tries.failures + 1;
        return { failures, waitLeftMs: waitAfterMs(failures) };
      });
      if (waitMs === 0) {
        const hash = await derive(pin, verifier.salt, verifier.iterations);
        let difference = 0;
        for (const [i, byte] of verifier.hash.entries()) difference |= byte ^ (hash[i] ?? 0);
        if (difference === 0) {
          await store.changeTries(() => noTries);
          return { ok: true };
        }
        waitMs = leftMs(counted);
      }
      if (waitMs > 0) storeLater();
      return { ok: false, waitMs };
    },
  };
}
