import { readFileSync } from 'node:fs';

/** Folder of the package, as a URL that ends with a slash. */
export const packageUrl = new URL('../', import.meta.url);

type Json = Readonly<Record<string, unknown>>;
type Side = 'shell' | 'page';

/** `contract/vectors/message-table.json`, as README.md of the contract describes it. */
interface MessageTable {
  readonly session: string;
  readonly envelopes: readonly { name: string; from?: Side; change: Json; [more: string]: unknown }[];
  readonly texts: readonly object[];
  readonly bodies: readonly (Json & {
    takes: readonly Json[];
    refuses?: Readonly<Record<string, readonly unknown[]>>;
  })[];
  readonly results: readonly {
    name: string;
    base: Json;
    takes: readonly { set: Json; reasons?: readonly string[] }[];
    refuses: readonly Json[];
  }[];
}

/** Sender and kind of a group's messages, and what becomes of one whose body is of another form. */
const groups: Readonly<Record<string, readonly [from: Side, kind: string, wrong: Json]>> = {
  ShellRequest: ['shell', 'request', { reads: 'refused', code: 'message-invalid' }],
  PageAnswer: ['page', 'answer', { reads: 'invalid-answer' }],
  PageRequest: ['page', 'request', { reads: 'refused', code: 'message-invalid' }],
  ShellAnswer: ['shell', 'answer', { reads: 'invalid-answer' }],
  PageEvent: ['page', 'event', { reads: 'dropped' }],
};

const without = (value: Json, name: string): Json =>
  Object.fromEntries(Object.entries(value).filter(([each]) => each !== name));

/** The text of `contract/vectors/messages.json`: every message of the table in full, with what its receiver does. */
export function messageVectors(): string {
  const url = new URL('contract/vectors/message-table.json', packageUrl);
  const table: MessageTable = JSON.parse(readFileSync(url, 'utf8'));
  const { session } = table;
  const rows: object[] = [...table.texts.map((row) => ({ from: 'page', ...row }))];

  for (const { name, from, change, ...rest } of table.envelopes) {
    for (const side of from === undefined ? (['shell', 'page'] as const) : [from]) {
      const asked = side === 'shell' ? 'sync' : 'packStore.readState';
      const whole = { v: 1, session, kind: 'request', id: 1, name: asked, body: {}, ...change };
      const message = Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== null));
      rows.push({ name: `envelope from ${side}: ${name}`, from: side, message, ...rest });
    }
  }

  function add(group: string, name: string, what: string, body: unknown, isRight: boolean): void {
    const [from, kind, wrong] = groups[group] ?? fail(`${group} is no group`);
    const own = (body as Json | null)?.session;
    // `hello` has its session in the envelope too.
    const told = name === 'hello' && String(own).length === session.length ? own : session;
    const id = kind === 'event' ? {} : { id: 1 };
    const message = { v: 1, session: told, kind, ...id, name, body };
    rows.push({ name: `${group} ${name}: ${what}`, from, message, ...(isRight ? { reads: kind } : wrong) });
  }

  for (const { takes, refuses = {}, ...named } of table.bodies) {
    const [[group = '', name] = []] = Object.entries(named);
    const [least = {}, most = least, ...others] = takes;
    const row = (what: string, body: unknown, isRight = false) => add(group, String(name), what, body, isRight);
    row('least', least, true);
    row('most', most, true);
    for (const other of others) row(JSON.stringify(other), other, true);
    row('unknown members', { ...most, later: { a: [1] } }, true);
    row('a list', []);
    row('null', null);
    for (const member of Object.keys(least)) row(`without ${member}`, without(most, member));
    for (const [member, values] of Object.entries(refuses))
      for (const value of values) row(`${member} is ${JSON.stringify(value)}`, { ...most, [member]: value });
  }

  for (const { name, base, takes, refuses } of table.results) {
    const row = (result: Json, isRight: boolean) =>
      add(
        'PageAnswer',
        name,
        `${isRight ? '' : 'not '}${JSON.stringify(result)}`,
        { result: { ...base, ...result } },
        isRight,
      );
    for (const { set, reasons } of takes) {
      if (reasons === undefined) row(set, true);
      else for (const reason of reasons) row({ ...set, reason }, true);
    }
    for (const result of refuses) row(result, false);
  }
  return `${JSON.stringify({ session, vectors: rows }, null, 1)}\n`;
}

function fail(message: string): never {
  throw new Error(message);
}
