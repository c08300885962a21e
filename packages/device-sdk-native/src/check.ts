import { definitions } from './generated/definitions.ts';

/** The part of JSON Schema that the contract uses. */
export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null';
  readonly const?: string | number | boolean;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly propertyNames?: Schema;
  readonly maxProperties?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

/** The check of a definition of the contract: whether a parsed JSON value is of that form. */
export function checkOf(name: string): (value: unknown) => boolean {
  const schema = definitions[name];
  if (schema === undefined) throw new Error(`the contract has no ${name}`);
  return (value) => isOf(schema, value);
}

/** Whether a value is as JSON Schema says; keywords of other types than the value's allow it. */
function isOf(schema: Schema, value: unknown): boolean {
  const { $ref, type, const: only, enum: values, oneOf, anyOf } = schema;
  return (
    ($ref === undefined || checkOf($ref.replace('#/$defs/', ''))(value)) &&
    (type === undefined || isOfType(type, value)) &&
    (only === undefined || value === only) &&
    (values === undefined || (values as readonly unknown[]).includes(value)) &&
    (typeof value !== 'number' || isWithin(value, schema.minimum, schema.maximum)) &&
    (typeof value !== 'string' || isText(schema, value)) &&
    (!Array.isArray(value) || isList(schema, value)) &&
    (!isObject(value) || hasMembers(schema, value)) &&
    (oneOf === undefined || oneOf.filter((branch) => isOf(branch, value)).length === 1) &&
    (anyOf === undefined || anyOf.some((branch) => isOf(branch, value)))
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isWithin = (value: number, least = -Infinity, most = Infinity): boolean => value >= least && value <= most;

function isOfType(type: NonNullable<Schema['type']>, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return type === 'number' ? Number.isFinite(value) : typeof value === type;
}

const expressions = new Map<string, RegExp>();

function isMatch(pattern: string, value: string): boolean {
  const expression = expressions.get(pattern) ?? new RegExp(pattern, 'u');
  expressions.set(pattern, expression);
  return expression.test(value);
}

/** Characters are code points. */
function isText({ minLength = 0, maxLength = Infinity, pattern }: Schema, value: string): boolean {
  const isSure = value.length >= minLength * 2 && value.length <= maxLength;
  return (
    (isSure || isWithin([...value].length, minLength, maxLength)) && (pattern === undefined || isMatch(pattern, value))
  );
}

const isList = ({ items, minItems, maxItems }: Schema, value: readonly unknown[]): boolean =>
  isWithin(value.length, minItems, maxItems) && (items === undefined || value.every((item) => isOf(items, item)));

function hasMembers(schema: Schema, value: Record<string, unknown>): boolean {
  const { properties = {}, required = [], additionalProperties: others, propertyNames: names, maxProperties } = schema;
  return (
    required.every((name) => Object.hasOwn(value, name)) &&
    isWithin(Object.keys(value).length, 0, maxProperties) &&
    Object.entries(value).every(([name, member]) => {
      const own = Object.hasOwn(properties, name) ? properties[name] : others;
      return (own === undefined || isOf(own, member)) && (names === undefined || isOf(names, name));
    })
  );
}
