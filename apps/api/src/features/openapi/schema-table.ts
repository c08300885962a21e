import { escapeHtml, inline, table } from './html.ts';

/** The part of JSON Schema that the document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly contentEncoding?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Enumerations with more values are abbreviated. */
const MANY_VALUES = 20;
/** Larger bounds come from the number format and are not shown. */
const LARGEST_BOUND = 2 ** 52;

const nameOf = (reference: string) => reference.split('/').pop() ?? '';

/** A link to a schema on the page. */
export function schemaLink(name: string): string {
  return `<a href="#schema-${name}">${name}</a>`;
}

function bounds({ type, minimum, maximum, minLength, maxLength }: Schema): string {
  const isSmall = (bound: number | undefined) => bound !== undefined && Math.abs(bound) < LARGEST_BOUND;
  const [least, most] = type === 'string' ? [minLength, maxLength] : [minimum, maximum];
  const unit = type === 'string' ? ' characters' : '';
  if (isSmall(least) && isSmall(most)) return least === most ? `, ${least}${unit}` : `, ${least} to ${most}${unit}`;
  if (isSmall(most)) return `, up to ${most}${unit}`;
  return isSmall(least) ? `, from ${least}` : '';
}

/** A value's type in a few words, as HTML. */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schemaLink(nameOf(schema.$ref));
  const choices = schema.anyOf ?? schema.oneOf;
  if (schema.type === undefined && choices !== undefined) return choices.map(typeOf).join(' or ');
  if (schema.const !== undefined) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
  if (schema.enum !== undefined) {
    if (schema.enum.length > MANY_VALUES) return `one of ${schema.enum.length} values`;
    return schema.enum.map((value) => `<code>${escapeHtml(JSON.stringify(value))}</code>`).join(' ');
  }
  if (schema.type === 'array') return `array of ${schema.items === undefined ? 'anything' : typeOf(schema.items)}`;
  if (typeof schema.type === 'object') return schema.type.map((type) => typeOf({ ...schema, type })).join(' or ');
  const prefix = /^\^([a-z]{3,5}_)/.exec(schema.pattern ?? '')?.[1];
  if (prefix !== undefined) return `<code>${prefix}…</code>`;
  const format = schema.format ?? schema.contentEncoding;
  return `${schema.type ?? 'anything'}${format === undefined ? bounds(schema) : ` (${format})`}`;
}

/** Fields to mark: required ones in requests, optional ones in answers. */
export type Marked = 'required' | 'optional';

function rowsOf(schema: Schema, prefix: string, marked: Marked): string[][] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const fallback =
      member.default === undefined ? '' : ` Default <code>${escapeHtml(JSON.stringify(member.default))}</code>.`;
    const isMarked = required.has(name) === (marked === 'required');
    const mark = isMarked ? ` <span class="${marked}">${marked}</span>` : '';
    const own = [
      `<code>${prefix}${escapeHtml(name)}</code>${mark}`,
      `<span class="kind">${typeOf(member)}</span>`,
      `${inline(member.description ?? '')}${fallback}`,
    ];
    // Objects are shown inline, also nullable ones.
    const inner = [member, ...(member.anyOf ?? [])].filter((part) => part.properties !== undefined);
    return [own, ...inner.flatMap((part) => rowsOf(part, `${prefix}${escapeHtml(name)}.`, marked))];
  });
}

/** A schema's fields as an HTML table. */
export function schemaTable(schema: Schema, marked: Marked): string {
  const alternatives = schema.properties === undefined ? (schema.oneOf ?? schema.anyOf ?? []) : [];
  const head = ['Field', 'Type', 'Description'];
  if (alternatives.length === 0) return table(head, rowsOf(schema, '', marked));
  return alternatives
    .map((part) => (part.$ref === undefined ? table(head, rowsOf(part, '', marked)) : typeOf(part)))
    .join('<p>or</p>');
}
