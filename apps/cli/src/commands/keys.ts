import type { Admin } from '@svc/api';
import type { Command } from 'commander';
import { exitCodes } from '../cli-error.ts';
import { moveDeploymentKeys, withAdmin } from '../deployment.ts';
import { print, printJson, remark, table } from '../output.ts';
import type { JsonOption } from './options.ts';

type KekStatus = Awaited<ReturnType<Admin['keks']['status']>>[number];

/** What may be done with a KEK. */
function verdict(kek: KekStatus): string {
  if (kek.current) return 'wraps new keys';
  if (!kek.atHand) return 'MISSING: what it wrapped cannot be read';
  return kek.keys === 0 ? 'may be removed' : 'needed';
}

function report(keks: readonly KekStatus[]): string {
  const rows = keks.map((kek) => [kek.kekId, String(kek.keys), verdict(kek)]);
  return table([['key-encryption key', 'keys', ''], ...rows]);
}

export function registerKeys(program: Command): void {
  const keys = program.command('keys').description('The keys that protect a deployment’s lists and accounts.');
  keys
    .command('status')
    .description('Shows the key-encryption keys (KEKs) and how many keys each has wrapped.')
    .option('--json', 'print JSON')
    .action(async (options: JsonOption) => {
      const keks = await withAdmin((admin) => admin.keks.status());
      if (options.json) printJson(keks);
      else print(report(keks));
      if (keks.some((kek) => !kek.atHand)) process.exitCode = exitCodes.negative;
    });
  keys
    .command('rotate')
    .description('Wraps every key by the first of the configured KEKs, so that the others can be removed. Nodes go on.')
    .option('--json', 'print JSON')
    .action(async (options: JsonOption) => {
      const done = await withAdmin((admin) => admin.keks.rotate());
      if (options.json) printJson(done);
      else print(report(done.keks));
      remark(`${done.rewrapped} wrapped again`);
      if (done.protected > 0)
        remark(`${done.protected} of an earlier edition have a secret outside of the database now`);
      const left = done.keks.filter((kek) => !kek.current && kek.keys > 0).reduce((sum, kek) => sum + kek.keys, 0);
      if (left === 0) return;
      remark(`${left} left: a node still wraps by another KEK, or a KEK is missing; see to that and run it again`);
      process.exitCode = exitCodes.negative;
    });
  keys
    .command('move')
    .description(
      'Moves keys that an earlier edition kept in the main database to the folder keys in SVC_DATA_DIR, or to where SVC_KEY_DATABASE_URL or SVC_KEY_STORE_DIR points.',
    )
    .action(async () => {
      const moved = await moveDeploymentKeys();
      remark(`${moved.keys} keys and ${moved.erasures} erasures moved; start every node with the same setting`);
      remark(
        moved.scrubbed
          ? 'the embedded database holds them no more, in no table and no log'
          : 'the database’s log, its archive, its standbys and its backups still hold them: VACUUM FULL wrapped_keys, pg_switch_wal(), CHECKPOINT, destroy what was archived and backed up; then make a new key-encryption key and destroy the old one (docs/keys-and-backups.md)',
      );
    });
}
