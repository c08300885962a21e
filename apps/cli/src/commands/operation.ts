import type { Admin } from '@svc/api';
import { type Argument, type Command, Option } from 'commander';
import { exitCodes } from '../cli-error.ts';
import { withAdmin } from '../deployment.ts';
import { print, printJson, remark, table } from '../output.ts';
import { requireYes } from './options.ts';

/** What commands are given; commander has seen to it that each has what it names. */
export interface Given {
  readonly account: string;
  readonly list: string;
  readonly event: string;
  /** The command's argument. */
  readonly id: string;
  readonly json?: true;
  readonly yes?: true;
}

/** A command on a deployment: what it is given, what it asks of the services, how the answer is shown. */
interface Operation<Services, G, Request, Answer> {
  /** With `<id>` where it is about one of what the group is of. */
  readonly usage: string;
  readonly does: string;
  /** In place of `<id>`. */
  readonly argument?: Argument;
  readonly options?: readonly Option[];
  /** What to ask for; refuses what is given before the deployment is opened. */
  readonly request?: (given: G) => Request;
  readonly run: (services: Services, given: G, request: Request) => Promise<Answer>;
  /** What nothing brings back, as the end of a sentence: it needs `--yes`. */
  readonly destroys?: (given: G) => string;
  /** For an act without an answer: what has become of the one that it is about. */
  readonly done?: string;
  /** What `--json` prints; default: the answer. */
  readonly json?: (answer: Answer, given: G) => unknown;
  /** Standard output without `--json`. */
  readonly text?: (answer: Answer) => string;
  /** In place of `text` for an answer of several items. */
  readonly columns?: Columns<Answer extends readonly (infer Item)[] ? Item : never>;
  /** Lines on standard error. */
  readonly remark?: (answer: Answer, given: G) => string | readonly string[];
  /** Whether the exit code is 1. */
  readonly isNegative?: (answer: Answer) => boolean;
}

/** Under each head a property of an item, or what is made of it. */
export type Columns<Item> = Readonly<Record<string, keyof Item | ((item: Item) => unknown)>>;

/** Runs work with the services of a deployment. */
type Session<Services> = <Answer>(work: (services: Services) => Promise<Answer>) => Promise<Answer>;

/**
 * Adds operations to a group of commands.
 * @param shared options of each
 * @param session default: with the administrator's services
 */
export function operationsOf<Services = Admin>(
  group: Command,
  shared: readonly Option[] = [],
  session = withAdmin as Session<Services>,
) {
  const kind = group.name();
  return <Answer, More = unknown, Request = undefined>(o: Operation<Services, Given & More, Request, Answer>): void => {
    const [name = '', argument] = o.usage.split(' ');
    const command = group.command(name).description(o.does);
    if (argument !== undefined) command.argument(`<${kind}Id>`, `ID that ${kind} list shows`);
    if (o.argument !== undefined) command.addArgument(o.argument);
    for (const option of [...shared, ...(o.options ?? [])]) command.addOption(option);
    if (o.destroys !== undefined) command.option('--yes', 'required: this cannot be undone');
    command.option('--json', 'print JSON').action(async () => {
      const given = { ...command.opts(), id: command.args[0] } as Given & More;
      if (o.destroys !== undefined) requireYes(given, o.destroys(given));
      const request = o.request?.(given) as Request;
      const answer = await session((services) => o.run(services, given, request));
      if (given.json)
        printJson(o.done ? { [`${kind}Id`]: given.id, [o.done]: true } : (o.json?.(answer, given) ?? answer));
      else if (o.text !== undefined) print(o.text(answer));
      else if (o.columns !== undefined && Array.isArray(answer)) print(rows(answer, o.columns));
      if (o.done !== undefined) remark(`${kind} ${given.id}: ${o.done}`);
      for (const line of [o.remark?.(answer, given) ?? []].flat()) remark(line);
      if (o.isNegative?.(answer)) process.exitCode = exitCodes.negative;
    });
  };
}

/** @param parse throws commander's `InvalidArgumentError` */
export function optional(flags: string, text: string, parse?: (text: string) => unknown): Option {
  const option = new Option(flags, text);
  return parse === undefined ? option : option.argParser(parse);
}

/** As {@link optional}, and has to be given. */
export const required = (...option: Parameters<typeof optional>): Option => optional(...option).makeOptionMandatory();

function cell(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A table of items. */
export function rows<Item>(items: readonly Item[], columns: Columns<Item>): string {
  const rowOf = (item: Item) =>
    Object.values(columns).map((of) => cell(typeof of === 'function' ? of(item) : item[of]));
  return table([Object.keys(columns), ...items.map(rowOf)]);
}

/** A table of one thing: names and values. */
export const facts = (values: Readonly<Record<string, unknown>>): string =>
  table(Object.entries(values).map(([name, value]) => [name, cell(value)]));
