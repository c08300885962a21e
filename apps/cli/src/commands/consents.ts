import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import type { ChainHead, LedgerReport } from '@svc/protocol/ledger';
import { type Command, InvalidArgumentError } from 'commander';
import { CliError, exitCodes } from '../cli-error.ts';
import { withAdmin } from '../deployment.ts';
import { print, printJson, remark } from '../output.ts';
import { fromInvocation } from '../paths.ts';
import { wholeNumber } from './options.ts';

const MAX_RETAIN_DAYS = 36_525;

interface ChainOptions {
  readonly account: string;
  readonly list?: string;
}

interface VerifyOptions {
  readonly account?: string;
  readonly list?: string;
  readonly export?: string;
  readonly json?: boolean;
}

function days(text: string): number {
  const value = wholeNumber(text);
  if (value < 1 || value > MAX_RETAIN_DAYS) {
    throw new InvalidArgumentError(`It must be from 1 to ${MAX_RETAIN_DAYS} days.`);
  }
  return value;
}

async function verifyFile(path: string): Promise<LedgerReport> {
  const { verifyLedger } = await import('@svc/api');
  try {
    return await verifyLedger(createReadStream(path));
  } catch (cause) {
    throw new CliError(`${path}: cannot be read`, exitCodes.usage, { cause });
  }
}

/** @param earlier last hashes of an export, which the database's chains must contain */
async function verifyDatabase(account: string, list: string | undefined, earlier: readonly ChainHead[]) {
  const { verifyLedger } = await import('@svc/api');
  return withAdmin((admin) => verifyLedger(admin.consents.export(account, list), earlier));
}

function tell(what: string, report: LedgerReport): void {
  const { valid, heads, entries, erased, unchained, findings, findingCount } = report;
  const before = unchained === 0 ? '' : `, before there were chains ${unchained}`;
  print(`${what}: ${valid ? 'intact' : 'NOT INTACT'}`);
  print(`  chains ${heads.length}, entries ${entries}, of them erased ${erased}${before}`);
  for (const { listId, length, entryHash } of heads) print(`  ${listId}  ${length}  ${entryHash}`);
  for (const { problem, line, listId, seq } of findings) {
    print(`  ${problem} at line ${line}${listId === null ? '' : `, ${listId} after entry ${seq}`}`);
  }
  if (findingCount > findings.length) print(`  and ${findingCount - findings.length} more`);
}

async function verify(options: VerifyOptions): Promise<void> {
  const { account, list } = options;
  const path = options.export === undefined ? undefined : fromInvocation(options.export);
  if (account === undefined && path === undefined) throw new CliError('--account, --export or both are required');
  const file = path === undefined ? null : await verifyFile(path);
  const earlier = (file?.heads ?? []).filter((head) => list === undefined || head.listId === list);
  const sameAccount = file === null || account === undefined || file.accountId === account;
  if (!sameAccount) throw new CliError('the export belongs to another account');
  const database = account === undefined ? null : await verifyDatabase(account, list, earlier);
  if (options.json === true) printJson({ file, database });
  else {
    if (file !== null) tell('export', file);
    if (database !== null) tell('database', database);
  }
  if (file?.valid === false || database?.valid === false) process.exitCode = exitCodes.negative;
}

async function writeNew(path: string, chunks: AsyncIterable<Buffer>): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((cause: unknown) => {
    throw new CliError(`${path}: cannot be created; it may already exist`, exitCodes.usage, { cause });
  });
  try {
    await writeFile(file, chunks);
  } finally {
    await file.close();
  }
}

async function writeExport({ account, list, out }: ChainOptions & { readonly out?: string }): Promise<void> {
  await withAdmin(async (admin) => {
    const chunks = admin.consents.export(account, list);
    if (out !== undefined) return writeNew(fromInvocation(out), chunks);
    for await (const chunk of chunks) {
      if (!process.stdout.write(chunk)) await once(process.stdout, 'drain');
    }
  });
}

export function registerConsents(program: Command): void {
  const consents = program.command('consents').description('The consent ledger of an account.');
  consents
    .command('verify')
    .description('Verifies the chains in the database, in an export, or one against the other.')
    .option('--account <id>', 'verify the chains of this account in the database')
    .option('--list <id>', 'only the chain of this list')
    .option('--export <file>', 'verify an export (NDJSON); on its own, it needs no deployment')
    .option('--json', 'print JSON')
    .action(verify);
  consents
    .command('export')
    .description('Writes the ledger as NDJSON, as GET /v1/consents does.')
    .requiredOption('--account <id>', 'whose ledger')
    .option('--list <id>', 'only the chain of this list')
    .option('--out <file>', 'a new file that only its owner can read; default: standard output')
    .action(writeExport);
  consents
    .command('retention')
    .description('Shows or sets how many days evidence is kept after the deadline of the face.')
    .requiredOption('--account <id>', 'whose evidence')
    .option('--days <number>', 'keep it this many days from now on', days)
    .action(async (options: { readonly account: string; readonly days?: number }) => {
      const kept = await withAdmin(async ({ consents: ledger }) => {
        if (options.days !== undefined) await ledger.setEvidenceRetainDays(options.account, options.days);
        return ledger.evidenceRetainDays(options.account);
      });
      print(String(kept));
      remark('days after the deadline of the face that the consent was for');
    });
  consents
    .command('purge')
    .description('Erases expired evidence of all accounts, as a running API does every hour.')
    .action(async () => {
      print(String(await withAdmin((admin) => admin.consents.purge())));
      remark('records erased; their places in the chains stay');
    });
}
