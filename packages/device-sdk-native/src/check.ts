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

type Check = (value: unknown) => boolean;

const compiled = new Map<string, Check>();

/** The check of a definition of the contract: whether a parsed JSON value is of that form. */
export function checkOf(name: string): Check {
  let check = compiled.get(name);
  if (check === undefined) {
    const schema = definitions[name];
    if (schema === undefined) throw new Error(`the contract has no ${name}`);
    check = compile(schema);
    compiled.set(name, check);
  }
  return check;
}

function compile(schema: Schema): Check {
  const checks: Check[] = [];
  const { $ref, enum: values, oneOf, anyOf } = schema;
  if ($ref !== undefined) {
    const name = $ref.replace('#/$defs/', '');
    checks.push((value) => checkOf(name)(value));
  }
  if (schema.type !== undefined) checks.push(ofType(schema.type));
  if (schema.const !== undefined) checks.push((value) => value === schema.const);
  if (values !== undefined) checks.push((value) => (values as readonly unknown[]).includes(value));
  checks.push(...numberChecks(schema), ...textChecks(schema), ...listChecks(schema), ...objectChecks(schema));
  if (oneOf !== undefined) {
    const branches = oneOf.map(compile);
    checks.push((value) => branches.filter((check) => check(value)).length === 1);
  }
  if (anyOf !== undefined) {
    const branches = anyOf.map(compile);
    checks.push((value) => branches.some((check) => check(value)));
  }
  return (value) => checks.every((check) => check(value));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function ofType(type: NonNullable<Schema['type']>): Check {
  if (type === 'null') return (value) => value === null;
  if (type === 'array') return Array.isArray;
  if (type === 'object') return isObject;
  if (type === 'integer') return Number.isInteger;
  if (type === 'number') return Number.isFinite;
  return (value) => typeof value === type;
}

function numberChecks({ minimum = -Infinity, maximum = Infinity }: Schema): Check[] {
  if (minimum === -Infinity && maximum === Infinity) return [];
  return [(value) => typeof value !== 'number' || (value >= minimum && value <= maximum)];
}

/** Characters are code points. */
function textChecks({ minLength = 0, maxLength = Infinity, pattern }: Schema): Check[] {
  const checks: Check[] = [];
  if (minLength > 0 || maxLength < Infinity) {
    checks.push((value) => {
      if (typeof value !== 'string') return true;
      if (value.length >= minLength * 2 && value.length <= maxLength) return true;
      const { length } = [...value];
      return length >= minLength && length <= maxLength;
    });
  }
  if (pattern !== undefined) {
    const expression = new RegExp(pattern, 'u');
    checks.push((value) => typeof value !== 'string' || expression.test(value));
  }
  return checks;
}

function listChecks({ items, minItems = 0, maxItems = Infinity }: Schema): Check[] {
  if (items === undefined) return [];
  const check = compile(items);
  return [
    (value) =>
      !Array.isArray(value) ||
      (value.length >= minItems && value.length <= maxItems && value.every((item) => check(item))),
  ];
}

function objectChecks(schema: Schema): Check[] {
  const checks: Check[] = [];
  const { required = [], maxProperties } = schema;
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => [name, compile(member)] as const);
  if (required.length > 0)
    checks.push((value) => !isObject(value) || required.every((name) => Object.hasOwn(value, name)));
  if (members.length > 0) {
    checks.push(
      (value) =>
        !isObject(value) || members.every(([name, check]) => !Object.hasOwn(value, name) || check(value[name])),
    );
  }
  if (schema.additionalProperties !== undefined) {
    const check = compile(schema.additionalProperties);
    const named = schema.properties ?? {};
    checks.push(
      (value) =>
        !isObject(value) ||
        Object.entries(value).every(([name, member]) => Object.hasOwn(named, name) || check(member)),
    );
  }
  if (schema.propertyNames !== undefined) {
    const check = compile(schema.propertyNames);
    checks.push((value) => !isObject(value) || Object.keys(value).every((name) => check(name)));
  }
  if (maxProperties !== undefined)
    checks.push((value) => !isObject(value) || Object.keys(value).length <= maxProperties);
  return checks;
}
