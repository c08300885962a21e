import type { Schema } from '../src/check.ts';
import {
  definitions as all,
  pageEvents,
  pageRequests,
  type Requests,
  referredName,
  shellRequests,
} from './contract.ts';

const HEAD = '// Written by scripts/prepare-sources.ts.\n';

/** Definitions of whole messages have no type of their own. */
const isMessageGroup = ({ type }: Schema): boolean => type === undefined;

/** A comment before a declaration, wrapped at 120 columns. */
function comment(text: string | undefined): string {
  if (text === undefined) return '';
  if (text.length <= 110) return `/** ${text} */\n`;
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line.length + word.length > 115) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return `/**\n${lines.map((line) => ` * ${line}\n`).join('')} */\n`;
}

const literal = (value: string | number | boolean): string => (typeof value === 'string' ? `'${value}'` : `${value}`);

/** An object's members. `of`: those to write; a branch of a union leaves out what belongs to others. */
function members(properties: Readonly<Record<string, Schema>>, required: ReadonlySet<string>): string {
  return Object.entries(properties)
    .map(
      ([name, schema]) =>
        `${comment(schema.description)}readonly ${name}${required.has(name) ? '' : '?'}: ${typeOf(schema)};`,
    )
    .join('\n');
}

/** An object with branches: each has what the object requires and what it names itself. */
function branches({ properties = {}, required = [], oneOf = [] }: Schema): string {
  return oneOf
    .map((branch) => {
      const all = new Set([...required, ...(branch.required ?? [])]);
      const named = Object.keys(properties).filter((name) => all.has(name) || branch.properties?.[name] !== undefined);
      const own = Object.fromEntries(named.map((name) => [name, branch.properties?.[name] ?? properties[name] ?? {}]));
      return `\n| {\n${members(own, all)}\n}`;
    })
    .join('');
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return referredName(schema.$ref);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ');
  if (schema.oneOf !== undefined && schema.type === undefined) return schema.oneOf.map(typeOf).join(' | ');
  if (schema.type === 'integer') return 'number';
  if (schema.type === 'array') return `readonly ${wrapped(schema.items ?? {})}[]`;
  if (schema.additionalProperties !== undefined)
    return `Readonly<Record<string, ${typeOf(schema.additionalProperties)}>>`;
  if (schema.type === 'object') return `{${members(schema.properties ?? {}, new Set(schema.required))}}`;
  if (schema.type === undefined) throw new Error(`no type for ${JSON.stringify(schema)}`);
  return schema.type;
}

const wrapped = (schema: Schema): string => (/^[\w.]+$/.test(typeOf(schema)) ? typeOf(schema) : `(${typeOf(schema)})`);

function declaration(name: string, schema: Schema): string {
  const head = comment(schema.description);
  if (schema.type !== 'object' || schema.oneOf !== undefined) {
    const type = schema.oneOf !== undefined && schema.type === 'object' ? branches(schema) : typeOf(schema);
    return `${head}export type ${name} = ${type};\n`;
  }
  if (Object.keys(schema.properties ?? {}).length === 0)
    return `${head}export type ${name} = Readonly<Record<never, never>>;\n`;
  return `${head}export interface ${name} {\n${members(schema.properties ?? {}, new Set(schema.required))}\n}\n`;
}

/** A table of requests with their answers, by name. */
function requestTable(name: string, requests: Requests): string {
  const rows = Object.entries(requests).map(
    ([each, [request, answer]]) => `readonly '${each}': { readonly request: ${request}; readonly answer: ${answer} };`,
  );
  return `export interface ${name} {\n${rows.join('\n')}\n}\n`;
}

/** The types of all messages. */
export function messageTypes(): string {
  const types = Object.entries(all)
    .filter(([, schema]) => !isMessageGroup(schema))
    .map(([name, schema]) => declaration(name, schema));
  const events = Object.entries(pageEvents).map(([name, body]) => `readonly ${name}: ${body};`);
  return [
    HEAD,
    ...types,
    `/** Requests of the shell, by name. */\n${requestTable('ShellRequests', shellRequests)}`,
    `/** Requests of the page, by name. */\n${requestTable('PageRequests', pageRequests)}`,
    `/** Events of the page, by name. */\nexport interface PageEvents {\n${events.join('\n')}\n}\n`,
  ].join('\n');
}

/** The definitions without their descriptions, one a line, for the check at run time. */
export function definitions(): string {
  const withoutText = (key: string, value: unknown) =>
    key === 'description' && typeof value === 'string' ? undefined : value;
  const lines = Object.entries(all).map(
    ([name, schema]) => `${JSON.stringify(name)}:${JSON.stringify(schema, withoutText)}`,
  );
  return [
    HEAD,
    "import type { Schema } from '../check.ts';\n",
    '/** Parsed, because that takes less time than code. */',
    'export const definitions: Readonly<Record<string, Schema>> = JSON.parse(String.raw`{',
    lines.join(',\n'),
    '}`);\n',
  ].join('\n');
}
