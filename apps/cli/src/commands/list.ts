import type { Admin } from '@svc/api';
import {
  type CreateListRequest,
  createListRequestSchema,
  reEntryPolicies,
  updateListRequestSchema,
  validateBody,
} from '@svc/protocol';
import { type Command, Option } from 'commander';
import { everything, withAdmin } from '../deployment.ts';
import { print, printable, printJson, remark, table, timeOf } from '../output.ts';
import { type AccountOptions, type JsonOption, name, requireValid, requireYes, wholeNumber } from './options.ts';

type List = Awaited<ReturnType<Admin['lists']['show']>>;

interface CreateOptions extends AccountOptions {
  readonly name: string;
  readonly event?: string;
  readonly ongoing?: true;
  readonly country?: string;
  readonly retainDays?: number;
}

function requestOf({ name: listName, event, ongoing, country, retainDays }: CreateOptions): CreateListRequest {
  const request = { name: listName, eventId: event, ongoing, country: country?.toUpperCase(), retainDays };
  return requireValid(validateBody(createListRequestSchema, request), 'the list');
}

function stateOf(list: List): string {
  if (list.endedAt !== null) return 'ended';
  return list.enrollmentClosedAt === null ? 'open' : 'closed';
}

function show(list: List, options: JsonOption): void {
  if (options.json) {
    printJson(list);
    return;
  }
  print(`list      ${list.listId}`);
  print(`name      ${printable(list.name)}`);
  print(`state     ${stateOf(list)}`);
  print(`event     ${list.eventId ?? 'ongoing'}`);
  print(`consent   ${list.consentVersion}`);
  print(`re-entry  ${list.reEntry}`);
  print(`check-ins ${printable(list.checkInUrl ?? 'sent nowhere')}`);
  print(`deadline  ${list.retentionDeadline?.toISOString() ?? `${list.retainDays} days after each enrolment`}`);
}

interface UpdateOptions extends AccountOptions {
  readonly name?: string;
  readonly reEntry?: string;
  /** False for `--no-check-in-url`. */
  readonly checkInUrl?: string | false;
}

/** `list update <listId>`: what the list's devices show and do. */
function registerUpdate(parent: Command): void {
  parent
    .command('update')
    .description('Renames a list, or changes what its devices do. They have it from their next sync on.')
    .argument('<listId>', 'ID that list list shows')
    .requiredOption('--account <id>', 'account the list belongs to')
    .option('--name <name>', 'name of the list', name)
    .addOption(new Option('--re-entry <policy>', 'for people who were let in before').choices(reEntryPolicies))
    .option('--check-in-url <url>', 'where devices send who was let in; its origin is in SVC_CHECK_IN_ORIGINS')
    .option('--no-check-in-url', 'devices send it nowhere')
    .option('--json', 'print JSON')
    .action(async (listId: string, options: UpdateOptions) => {
      const { name: listName, reEntry, checkInUrl } = options;
      const address = checkInUrl === false ? null : checkInUrl;
      const changes = { name: listName, reEntry, checkInUrl: address };
      const request = requireValid(validateBody(updateListRequestSchema, changes), 'the change');
      show(await withAdmin((admin) => admin.lists.update(options.account, listId, request)), options);
    });
  parent
    .command('rotate-check-in-secret')
    .description('Makes or replaces the secret that signs check-ins, and prints it. It cannot be shown again.')
    .argument('<listId>', 'ID that list list shows')
    .requiredOption('--account <id>', 'account the list belongs to')
    .option('--json', 'print JSON')
    .action(async (listId: string, options: AccountOptions) => {
      const secret = await withAdmin((admin) => admin.lists.rotateCheckInSecret(options.account, listId));
      if (options.json) printJson({ listId, secret });
      else print(secret);
      remark(`list ${listId}: its secret is shown this once, keep it now`);
    });
}

/** `list close|end <listId>`: irreversible. */
function registerMove(parent: Command, command: 'close' | 'end', description: string): void {
  parent
    .command(command)
    .description(description)
    .argument('<listId>', 'ID that list list shows')
    .requiredOption('--account <id>', 'account the list belongs to')
    .option('--json', 'print JSON')
    .action(async (listId: string, options: AccountOptions) => {
      const list = await withAdmin((admin) => admin.lists[command](options.account, listId));
      if (options.json) printJson(list);
      remark(`list ${listId}: ${stateOf(list)}`);
    });
}

export function registerList(program: Command): void {
  const list = program.command('list').description('Guest lists of an account.');
  list
    .command('create')
    .description('Creates a list, of an event or ongoing, and prints its ID.')
    .requiredOption('--account <id>', 'account the list belongs to')
    .requiredOption('--name <name>', 'name of the list', name)
    .addOption(new Option('--event <id>', 'event the list belongs to').conflicts('ongoing'))
    .addOption(new Option('--ongoing', 'for members or season tickets: each face has a deadline of its own'))
    .option('--country <code>', 'country whose law decides the consent wording, ISO 3166-1 alpha-2')
    .option('--retain-days <days>', 'how long faces are kept, after the event or after enrolment', wholeNumber)
    .option('--json', 'print JSON')
    .action(async (options: CreateOptions) => {
      const request = requestOf(options);
      const created = await withAdmin((admin) => admin.lists.create(options.account, request));
      if (options.json) printJson(created);
      else print(created.listId);
      remark(`list ${created.listId}: consent version ${created.consentVersion}`);
    });
  list
    .command('list')
    .description('Lists the lists, newest first.')
    .requiredOption('--account <id>', 'account of the lists')
    .option('--json', 'print JSON')
    .action(async (options: AccountOptions) => {
      const lists = await withAdmin((admin) => everything((page) => admin.lists.page(options.account, page)));
      if (options.json) return printJson(lists);
      const rows = lists.map((each) => [
        each.listId,
        stateOf(each),
        each.consentVersion,
        timeOf(each.retentionDeadline),
        each.name,
      ]);
      print(table([['list', 'state', 'consent', 'deadline', 'name'], ...rows]));
    });
  list
    .command('show')
    .description('Shows a list.')
    .argument('<listId>', 'ID that list list shows')
    .requiredOption('--account <id>', 'account the list belongs to')
    .option('--json', 'print JSON')
    .action(async (listId: string, options: AccountOptions) => {
      show(await withAdmin((admin) => admin.lists.show(options.account, listId)), options);
    });
  registerUpdate(list);
  registerMove(list, 'close', 'Closes enrolment, for good. Whoever is enrolled stays until the deadline.');
  registerMove(list, 'end', 'Ends the list, for good: nobody can be enrolled any more.');
  list
    .command('delete')
    .description('Destroys the keys of a list, then everything else of it. Its devices wipe their copies.')
    .argument('<listId>', 'ID that list list shows')
    .requiredOption('--account <id>', 'account the list belongs to')
    .option('--yes', 'needed: nothing brings the list back')
    .option('--json', 'print JSON')
    .action(async (listId: string, options: AccountOptions & { yes?: true }) => {
      requireYes(options, `deletes list ${listId} and every face on it`);
      await withAdmin((admin) => admin.lists.delete(options.account, listId));
      if (options.json) printJson({ listId, deleted: true });
      remark(`list ${listId}: deleted`);
    });
}
