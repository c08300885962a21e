import { type CreateListRequest, createListRequestSchema } from '@svc/protocol';
import { type Command, Option } from 'commander';
import { CliError } from '../cli-error.ts';
import { withAdmin } from '../deployment.ts';
import { print, printJson, remark } from '../output.ts';
import { name, wholeNumber } from './options.ts';

interface CreateOptions {
  readonly account: string;
  readonly name: string;
  readonly event?: string;
  readonly ongoing?: true;
  readonly country?: string;
  readonly retainDays?: number;
  readonly json?: true;
}

function requestOf({ name: listName, event, ongoing, country, retainDays }: CreateOptions): CreateListRequest {
  const request = { name: listName, eventId: event, ongoing, country: country?.toUpperCase(), retainDays };
  const parsed = createListRequestSchema.safeParse(request);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  throw new CliError(`the list cannot be created: ${field === '' ? '' : `${field}: `}${issue?.message ?? 'invalid'}`);
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
}
