import type { Schema } from '../../src/check.ts';
import { contract, referredName } from '../schema.ts';

/** `least`: the smallest value of every kind, and no member that may be absent; `most`: the largest, and all members. */
export type Amount = 'least' | 'most';

const bytes = (count: number, value: number): string => Buffer.alloc(count, value).toString('base64url');

/** Values of definitions that have a pattern. */
const samples: Readonly<Record<string, readonly [least: unknown, most: unknown]>> = {
  AttemptId: [bytes(16, 0), bytes(16, 255)],
  Session: [bytes(16, 0), bytes(16, 255)],
  Chunk: ['', bytes(5, 255)],
  Content: ['', bytes(4, 250)],
  ShortBytes: ['', bytes(3, 251)],
  Bytes32: [bytes(32, 0), bytes(32, 255)],
  PublicKey: [
    `${Buffer.concat([Buffer.of(4), Buffer.alloc(64)]).toString('base64url')}`,
    `${Buffer.alloc(65, 4).toString('base64url')}`,
  ],
};
/** Values of members that have a pattern of their own. */
const members: Readonly<Record<string, readonly [least: unknown, most: unknown]>> = {
  language: ['de', 'zh-Hant-TW'],
  url: ['https://a.example', 'https://a.example:8443/v1/sync?knownVersion=7'],
  headers: [{}, { authorization: 'Bearer svcd_0', 'content-type': 'application/json' }],
};
/** Values that a pattern refuses. */
const refused: Readonly<Record<string, readonly unknown[]>> = {
  language: ['', 'de_DE', 'x'.repeat(36)],
  url: [
    'http://a.example/',
    'ftp://a.example/',
    'https://user@a.example/',
    'https://a.example/#part',
    'javascript:alert(1)',
  ],
  headers: [{ Authorization: 'x' }, { 'content-type': 'a\r\nb: c' }, { '': 'x' }, { accept: 1 }],
};

const at = ([least, most]: readonly [unknown, unknown], amount: Amount): unknown => (amount === 'least' ? least : most);

const definition = (name: string): Schema => contract.$defs[name] ?? {};

/** A value of a definition. */
export function sampleOf(name: string, amount: Amount): unknown {
  return sample({ $ref: `#/$defs/${name}` }, amount);
}

function sample(schema: Schema, amount: Amount): unknown {
  if (schema.$ref !== undefined) {
    const name = referredName(schema.$ref);
    const special = samples[name];
    return special === undefined ? sample(definition(name), amount) : at(special, amount);
  }
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum.at(amount === 'least' ? 0 : -1);
  if (schema.oneOf !== undefined && schema.type === undefined) {
    return amount === 'least' ? null : sample(schema.oneOf[0] ?? {}, amount);
  }
  if (schema.type === 'object') return branchesOf(schema, amount).at(amount === 'least' ? 0 : -1);
  if (schema.type === 'array') {
    const { minItems = 0, items = {} } = schema;
    return Array.from({ length: amount === 'least' ? minItems : minItems + 2 }, () => sample(items, amount));
  }
  if (schema.type === 'boolean') return amount === 'most';
  if (schema.type === 'string') return amount === 'least' ? '' : 'some text, ä and 🙂';
  return amount === 'least' ? schema.minimum : schema.maximum;
}

/** A value of each branch of an object that has branches; one value of others. */
export function branchesOf(schema: Schema, amount: Amount): readonly Record<string, unknown>[] {
  const { properties = {}, required = [], oneOf = [{}] } = schema;
  return oneOf.flatMap((branch) => {
    const own = branch.properties ?? {};
    const all = new Set([...required, ...(branch.required ?? [])]);
    const names = Object.keys(properties).filter(
      (name) => all.has(name) || own[name] !== undefined || (amount === 'most' && schema.oneOf === undefined),
    );
    const value = Object.fromEntries(
      names.map((name) => [name, memberOf(name, own[name] ?? properties[name] ?? {}, amount)]),
    );
    // Every value of the members that tell the branches apart.
    const open = Object.entries(own).filter(
      ([, { enum: values, $ref }]) => valuesOf({ enum: values, $ref } as Schema).length > 0,
    );
    if (schema.oneOf === undefined || open.length === 0) return [value];
    return open.flatMap(([name, each]) => valuesOf(each).map((one) => ({ ...value, [name]: one })));
  });
}

const valuesOf = ({ enum: values, $ref }: Schema): readonly string[] =>
  values ?? ($ref === undefined ? [] : (definition(referredName($ref)).enum ?? []));

const memberOf = (name: string, schema: Schema, amount: Amount): unknown => {
  const special = members[name];
  return special === undefined ? sample(schema, amount) : at(special, amount);
};

/** Bodies of another form than the definition: a member is missing, of another type, or outside its limits. */
export function broken(name: string): readonly (readonly [what: string, body: unknown])[] {
  const { properties = {}, required = [] } = definition(name);
  const whole = sampleOf(name, 'most') as Record<string, unknown>;
  const without = Object.keys(properties)
    .filter((member) => required.includes(member))
    .map(
      (member) =>
        [`without ${member}`, Object.fromEntries(Object.entries(whole).filter(([key]) => key !== member))] as const,
    );
  const wrong = Object.entries(properties).flatMap(([member, schema]) =>
    (refused[member] ?? wrongValues(schema)).map(
      (value) => [`${member} is ${JSON.stringify(value)?.slice(0, 40)}`, { ...whole, [member]: value }] as const,
    ),
  );
  return [...without, ...wrong];
}

function wrongValues(schema: Schema): readonly unknown[] {
  if (schema.$ref !== undefined) {
    const name = referredName(schema.$ref);
    if (samples[name] !== undefined) return ['AB', 'A=', 'A+', 7];
    return wrongValues(definition(name));
  }
  if (schema.enum !== undefined) return ['another', null];
  if (schema.oneOf !== undefined && schema.type === undefined)
    return wrongValues(schema.oneOf[0] ?? {}).filter((value) => value !== null);
  if (schema.type === 'integer') {
    const { minimum = 0, maximum = 0 } = schema;
    const outside = maximum < Number.MAX_SAFE_INTEGER ? [maximum + 1] : [];
    return [...(minimum > -Number.MAX_SAFE_INTEGER ? [minimum - 1] : []), ...outside, 1.5, '1'];
  }
  if (schema.type === 'number') return [(schema.minimum ?? 0) - 1, (schema.maximum ?? 0) + 1, '1'];
  if (schema.type === 'string') return [7, null];
  if (schema.type === 'boolean') return ['true', null, ...(schema.const === true ? [false] : [])];
  if (schema.type === 'array') return [{}, [null]];
  return [[], 'text', null];
}
