import type { Admin } from '@svc/api';
import type { Command } from 'commander';
import { type Columns, operationsOf, rows } from './operation.ts';

type KekStatus = Awaited<ReturnType<Admin['keks']['status']>>[number];

/** What may be done with a KEK. */
function verdict(kek: KekStatus): string {
  if (kek.current) return 'wraps new keys';
  if (!kek.atHand) return 'MISSING: what it wrapped cannot be read';
  return kek.keys === 0 ? 'may be removed' : 'needed';
}

const COLUMNS: Columns<KekStatus> = {
  'key-encryption key': 'kekId',
  keys: 'keys',
  '': verdict,
};

/** Number of keys that another KEK than the current one still wraps. */
const leftOf = (keks: readonly KekStatus[]): number =>
  keks.filter((kek) => !kek.current).reduce((sum, kek) => sum + kek.keys, 0);

export function registerKeys(program: Command): void {
  const group = program.command('keys').description('The keys that protect a deployment’s lists and accounts.');
  const keys = operationsOf(group);
  keys({
    usage: 'status',
    does: 'Shows the key-encryption keys (KEKs) and how many keys each has wrapped.',
    run: ({ keks }) => keks.status(),
    columns: COLUMNS,
    isNegative: (keks) => keks.some((kek) => !kek.atHand),
  });
  keys({
    usage: 'rotate',
    does: 'Rewraps every key with the first configured KEK, so that the others can be removed. Nodes keep running.',
    run: ({ keks }) => keks.rotate(),
    text: ({ keks }) => rows(keks, COLUMNS),
    remark(done) {
      const left = leftOf(done.keks);
      const still = `${left} left: a node still wraps with another KEK, or a KEK is missing; fix that and run it again`;
      return [`${done.rewrapped} rewrapped`, ...(left > 0 ? [still] : [])];
    },
    isNegative: ({ keks }) => leftOf(keks) > 0,
  });
}
