import type { Clock } from './ports.ts';

/** Work of a node that is gone is free after this time. Longer than two nodes' clocks differ and a busy node stalls. */
export const LEASE_MS = 6_000;
/** How far a node's clock may be from the database's. */
export const CLOCK_LIMIT_MS = LEASE_MS / 2;
const RENEW_MS = 1_000;

/** The end of a lease that begins now. A stalled node loses its lease, so what it commits must demand that it holds it. */
export const leaseEnd = (clock: Clock): Date => new Date(clock.now() + LEASE_MS);

/** Whole seconds until a lease ends unless it is renewed, at least 1; by no clock longer than a lease. */
export const secondsUntil = (end: Date, clock: Clock): number =>
  Math.ceil(Math.min(LEASE_MS, Math.max(1, end.getTime() - clock.now())) / 1_000);

/**
 * Renews a lease every second.
 * @param renew moves its end @returns false when it was lost, which ends the renewals
 * @returns ends the renewals
 */
export function keepLease(clock: Clock, renew: (end: Date) => Promise<boolean>): () => void {
  let isRenewing = false;
  const renewOnce = async () => {
    if (isRenewing) return;
    isRenewing = true;
    // While the database is away, the next renewal may come in time.
    const isHeld = await renew(leaseEnd(clock)).catch(() => true);
    isRenewing = false;
    if (!isHeld) clearInterval(timer);
  };
  const timer = setInterval(() => void renewOnce(), RENEW_MS);
  timer.unref();
  return () => clearInterval(timer);
}
