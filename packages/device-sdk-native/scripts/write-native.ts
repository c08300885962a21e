import type { Schema } from '../src/check.ts';
import {
  BASE64_URL,
  definitions,
  pageEvents,
  pageRequests,
  type Requests,
  referredName,
  shellRequests,
} from './contract.ts';

/** What a member holds, as every language has it. */
type Shape =
  | { readonly kind: 'boolean'; readonly isTrue: boolean }
  | { readonly kind: 'integer' | 'number'; readonly least: number; readonly most: number }
  | { readonly kind: 'string'; readonly least: number; readonly most: number; readonly pattern: string | undefined }
  /** As base64url, `most` bytes. */
  | { readonly kind: 'bytes'; readonly most: number }
  | { readonly kind: 'list'; readonly of: Shape; readonly least: number; readonly most: number }
  | { readonly kind: 'map'; readonly of: Shape; readonly names: string; readonly most: number }
  | { readonly kind: 'object' | 'enum'; readonly name: string };

interface Member {
  readonly name: string;
  readonly description: string | undefined;
  readonly shape: Shape;
  readonly canBeAbsent: boolean;
  readonly canBeNull: boolean;
}

/** What a form asks of one member: to be there, or also to be one of these values. */
interface Condition {
  readonly member: Member;
  readonly values: readonly (string | boolean)[] | null;
}

/** A type that messages hold: an enumeration's values, or an object's members. */
interface NamedType {
  readonly name: string;
  readonly description: string | undefined;
  readonly values: readonly string[] | undefined;
  readonly members: readonly Member[];
  /** Where members depend on each other: the forms that the object may have, as the branches of its definition. */
  readonly forms: readonly (readonly Condition[])[];
}

const definition = (name: string): Schema => definitions[name] ?? {};

function shapeOf(schema: Schema): Shape {
  if (schema.$ref !== undefined) {
    const name = referredName(schema.$ref);
    const { type, enum: values } = definition(name);
    if (values !== undefined) return { kind: 'enum', name };
    return type === 'object' ? { kind: 'object', name } : shapeOf(definition(name));
  }
  const { type, pattern, minimum: least = Number.NaN, maximum: most = Number.NaN } = schema;
  switch (type) {
    case 'boolean':
      return { kind: type, isTrue: schema.const === true };
    case 'integer':
    case 'number':
      return { kind: type, least, most };
    case 'string': {
      const { minLength = 0, maxLength = Number.NaN } = schema;
      if (pattern === BASE64_URL) return { kind: 'bytes', most: Math.floor((maxLength * 3) / 4) };
      return { kind: type, least: minLength, most: maxLength, pattern };
    }
    case 'array':
      return { kind: 'list', of: shapeOf(schema.items ?? {}), least: schema.minItems ?? 0, most: schema.maxItems ?? 0 };
    case 'object': {
      const { additionalProperties = {}, propertyNames, maxProperties = 0 } = schema;
      return {
        kind: 'map',
        of: shapeOf(additionalProperties),
        names: propertyNames?.pattern ?? '',
        most: maxProperties,
      };
    }
    default:
      throw new Error(`no type for ${JSON.stringify(schema)}`);
  }
}

function membersOf({ properties = {}, required = [] }: Schema): readonly Member[] {
  return Object.entries(properties).map(([name, schema]) => {
    const { description, oneOf = [] } = schema;
    const canBeNull = oneOf.some(({ type }) => type === 'null');
    const shape = shapeOf(oneOf.find(({ type }) => type !== 'null') ?? schema);
    return { name, description, shape, canBeAbsent: !required.includes(name), canBeNull };
  });
}

function valuesOf({ $ref, const: only, enum: some }: Schema): readonly (string | boolean)[] | null {
  if ($ref !== undefined) return definition(referredName($ref)).enum ?? null;
  if (typeof only === 'string' || typeof only === 'boolean') return [only];
  return some ?? null;
}

function formsOf(
  { properties = {}, oneOf = [] }: Schema,
  members: readonly Member[],
): readonly (readonly Condition[])[] {
  return oneOf.map((branch) =>
    members.flatMap((member): readonly Condition[] => {
      const values = valuesOf(branch.properties?.[member.name] ?? {});
      const isAll = values === null || values.length === valuesOf(properties[member.name] ?? {})?.length;
      if (!isAll) return [{ member, values }];
      return branch.required?.includes(member.name) ? [{ member, values: null }] : [];
    }),
  );
}

/** The types that messages hold, in the schema's order. */
function namedTypes(): readonly NamedType[] {
  const requests = [shellRequests, pageRequests].flatMap((all) => Object.values(all).flat());
  const needed = new Set([...requests, ...Object.values(pageEvents)]);
  // A set gives what is added to it while it is walked.
  for (const name of needed) {
    for (let { shape } of membersOf(definition(name))) {
      while (shape.kind === 'list' || shape.kind === 'map') shape = shape.of;
      if (shape.kind === 'object' || shape.kind === 'enum') needed.add(shape.name);
    }
  }
  const names = Object.keys(definitions).filter((name) => needed.has(name) && name !== 'Empty');
  return names.map((name) => {
    const schema = definition(name);
    const { description, enum: values } = schema;
    const members = membersOf(schema);
    return { name, description, values, members, forms: formsOf(schema, members) };
  });
}

const HEAD = '// Written by scripts/prepare-sources.ts.\n';
const each = <T>(all: readonly T[], write: (one: T) => string, between = '\n'): string => all.map(write).join(between);
const indented = (text: string): string => text.replace(/^(?=.)/gm, '    ');

const isUpper = (word: string): boolean => word === word.toUpperCase();
const capital = (word: string): string =>
  word.charAt(0).toUpperCase() + (isUpper(word) ? word.slice(1).toLowerCase() : word.slice(1));

/** `no-sync-30-days` as `noSync30Days`, `EU` as `eu`. */
function camel(value: string): string {
  const [first = '', ...rest] = value.split('-');
  const start = isUpper(first) ? first.toLowerCase() : first.charAt(0).toLowerCase() + first.slice(1);
  return start + rest.map(capital).join('');
}

/** `no-sync-30-days` as `NoSync30Days`; two acronyms are upper-case, as they were in the first release. */
const pascal = (value: string): string =>
  capital(camel(value)).replace(/^(Id(?=[A-Z])|Simd$)/, (word) => word.toUpperCase());

const kotlinComment = (text: string | undefined) => (text === undefined ? '' : `/** ${text} */\n`);

function kotlinType(shape: Shape): string {
  if (shape.kind === 'list') return `List<${kotlinType(shape.of)}>`;
  if (shape.kind === 'map') return `Map<String, ${kotlinType(shape.of)}>`;
  if (shape.kind === 'object' || shape.kind === 'enum') return shape.name;
  return { boolean: 'Boolean', integer: 'Long', number: 'Double', string: 'String', bytes: 'ByteArray' }[shape.kind];
}

/** A value as `org.json` holds it. */
function kotlinWritten(shape: Shape, value: string): string {
  if (shape.kind === 'list') return `JSONArray(${value}.map { ${kotlinWritten(shape.of, 'it')} })`;
  if (shape.kind === 'map') return `JSONObject(${value})`;
  if (shape.kind === 'object') return `${value}.toJson()`;
  if (shape.kind === 'bytes') return `toBase64Url(${value})`;
  return shape.kind === 'enum' ? `${value}.value` : value;
}

const kotlinText = (text: string): string => JSON.stringify(text).replaceAll('$', '\\$');

/** Reads a value and checks it. */
function kotlinRead(shape: Shape, value: string): string {
  switch (shape.kind) {
    case 'boolean':
      return shape.isTrue ? `(${value} as Boolean).also { require(it) }` : `${value} as Boolean`;
    case 'integer':
      return `integerOf(${value}, ${shape.least}, ${shape.most})`;
    case 'number':
      return `numberOf(${value}, ${shape.least.toFixed(1)}, ${shape.most.toFixed(1)})`;
    case 'string':
      return `textOf(${value}, ${shape.least}, ${shape.most}${shape.pattern === undefined ? '' : `, ${kotlinText(shape.pattern)}`})`;
    case 'bytes':
      return `bytesOf(${value}, ${shape.most})`;
    case 'list':
      return `itemsOf(${value}, ${shape.least}, ${shape.most}) { ${kotlinRead(shape.of, 'it')} }`;
    case 'map':
      return `membersOf(${value}, ${shape.most}, ${kotlinText(shape.names)}) { ${kotlinRead(shape.of, 'it')} }`;
    case 'object':
      return `${shape.name}.fromJson(${value} as JSONObject)`;
    case 'enum':
      return `${shape.name}.of(${value} as String)`;
  }
}

/** Readers of the bodies of a side's messages, by name. */
const kotlinReaders = (table: string, bodies: readonly (readonly [name: string, body: string])[]): string => `
internal val ${table}: Map<String, (JSONObject) -> Any> = mapOf(
${each(bodies, ([name, body]) => `    "${name}" to reader { ${body === 'Empty' ? 'it' : `${body}.fromJson(it)`} },`)}
)
`;

/** The condition's values as the language writes them; `caseOf` gives the name of an enumeration's case. */
function casesOf({ member, values }: Condition, caseOf: (value: string) => string): readonly string[] {
  const { shape } = member;
  return shape.kind === 'enum' ? (values ?? []).map((value) => `${shape.name}.${caseOf(String(value))}`) : [];
}

function kotlinCondition(condition: Condition): string {
  const { member, values } = condition;
  if (values === null) return `${member.name} != null`;
  if (member.shape.kind === 'boolean') return values[0] ? member.name : `!${member.name}`;
  const cases = casesOf(condition, pascal);
  return cases.length === 1 ? `${member.name} == ${cases[0]}` : `${member.name} in setOf(${cases.join(', ')})`;
}

function kotlinPut({ name, shape, canBeAbsent, canBeNull }: Member): string {
  if (canBeAbsent) return `${name}?.let { json.put("${name}", ${kotlinWritten(shape, 'it')}) }`;
  const orNull = `${name}?.let { ${kotlinWritten(shape, 'it')} } ?: JSONObject.NULL`;
  return `json.put("${name}", ${canBeNull ? orNull : kotlinWritten(shape, name)})`;
}

function kotlinGet({ name, shape, canBeAbsent, canBeNull }: Member): string {
  if (canBeNull) return `orNull(json.get("${name}")) { ${kotlinRead(shape, 'it')} }`;
  return `${canBeAbsent ? `if (!json.has("${name}")) null else ` : ''}${kotlinRead(shape, `json.get("${name}")`)}`;
}

const kotlinEnum = (name: string, values: readonly string[]): string => `enum class ${name}(val value: String) {
${each(values, (value) => `    ${pascal(value)}("${value}")`, ',\n')};

    companion object {
        fun of(value: String): ${name} = values().first { it.value == value }
    }
}`;

const kotlinMember = ({ name, description, shape, canBeAbsent, canBeNull }: Member): string =>
  indented(
    `${kotlinComment(description)}val ${name}: ${kotlinType(shape)}${canBeAbsent || canBeNull ? '? = null' : ''},`,
  );

/** A value of no form cannot be made, nor read. */
const kotlinForms = (forms: NamedType['forms']): string => `    init {
        require(${each(forms, (form) => `(${each(form, kotlinCondition, ' && ')})`, ' || ')}) {
            "its members do not belong together"
        }
    }

`;

const kotlinObject = ({ name, members, forms }: NamedType): string => `data class ${name}(
${each(members, kotlinMember)}
) {
${forms.length === 0 ? '' : kotlinForms(forms)}    fun toJson(): JSONObject {
        val json = JSONObject()
${each(members, (member) => `        ${kotlinPut(member)}`)}
        return json
    }

    companion object {
        fun fromJson(json: JSONObject): ${name} = ${name}(
${each(members, (member) => `            ${member.name} = ${kotlinGet(member)},`)}
        )
    }
}`;

/**
 * Kotlin's: data classes that read and write `org.json`, which every Android has. Reading another form throws a
 * RuntimeException or JSON's own.
 */
export function kotlinTypes(): string {
  const helpers = ['bytesOf', 'integerOf', 'itemsOf', 'membersOf', 'numberOf', 'orNull', 'textOf', 'toBase64Url'];
  const bodies = (all: Requests, at: 0 | 1) => Object.entries(all).map(([name, pair]) => [name, pair[at]] as const);
  const types = namedTypes().map((type) => {
    const { name, description, values } = type;
    return `${kotlinComment(description)}${values === undefined ? kotlinObject(type) : kotlinEnum(name, values)}`;
  });
  return `${HEAD}
package org.svc.device.contract

import org.json.JSONArray
import org.json.JSONObject
${each(helpers, (name) => `import org.svc.device.internal.${name}`)}

${types.join('\n\n')}

private fun reader(read: (JSONObject) -> Any) = read
${kotlinReaders('PAGE_REQUESTS', bodies(pageRequests, 0))}${kotlinReaders('PAGE_ANSWERS', bodies(shellRequests, 1))}${kotlinReaders('PAGE_EVENTS', Object.entries(pageEvents))}`;
}

const swiftComment = (text: string | undefined) => (text === undefined ? '' : `/// ${text}\n`);

function swiftType(shape: Shape): string {
  if (shape.kind === 'list') return `[${swiftType(shape.of)}]`;
  if (shape.kind === 'map') return `[String: ${swiftType(shape.of)}]`;
  if (shape.kind === 'object' || shape.kind === 'enum') return shape.name;
  return { boolean: 'Bool', integer: 'Int', number: 'Double', string: 'String', bytes: 'Data' }[shape.kind];
}

/** Checks a value that was decoded. */
function swiftChecked(shape: Shape, value: string): string {
  switch (shape.kind) {
    case 'boolean':
      return shape.isTrue ? `checked(${value}) { $0 }` : value;
    case 'integer':
    case 'number':
      return `checked(${value}) { ${shape.least}...${shape.most} ~= $0 }`;
    case 'string': {
      const isText = `isText($0, ${shape.least}...${shape.most}${shape.pattern === undefined ? '' : `, ${JSON.stringify(shape.pattern)}`})`;
      return `checked(${value}) { ${isText} }`;
    }
    case 'bytes':
      return `checked(${value}) { $0.count <= ${shape.most} }`;
    case 'list':
      return `checked(${value}) { ${shape.least}...${shape.most} ~= $0.count }${swiftEach(shape.of)}`;
    case 'map':
      return `checked(${value}) { $0.count <= ${shape.most} && $0.keys.allSatisfy { isText($0, 0...Int.max, ${JSON.stringify(shape.names)}) } }.mapValues { ${swiftTry(shape.of, '$0')} }`;
    case 'object':
    case 'enum':
      return value;
  }
}

const swiftTry = (shape: Shape, value: string): string => {
  const expression = swiftChecked(shape, value);
  return expression === value ? value : `try ${expression}`;
};
const swiftEach = (of: Shape): string => (swiftChecked(of, '$0') === '$0' ? '' : `.map { ${swiftTry(of, '$0')} }`);

/** `none` means another thing in an optional. */
const swiftCase = (type: string, value: string): string => (value === 'none' ? `${camel(type)}None` : camel(value));

function swiftCondition(condition: Condition): string {
  const { member, values } = condition;
  if (values === null) return `${member.name} != nil`;
  if (member.shape.kind === 'boolean') return values[0] ? member.name : `!${member.name}`;
  const cases = casesOf(condition, camel);
  return cases.length === 1 ? `${member.name} == ${cases[0]}` : `[${cases.join(', ')}].contains(${member.name})`;
}

const swiftEnum = (
  name: string,
  values: readonly string[],
): string => `public enum ${name}: String, Codable, CaseIterable, Sendable {
${each(values, (value) => `    case ${swiftCase(name, value)} = "${value}"`)}
}`;

const swiftMember = ({ shape, canBeAbsent, canBeNull }: Member): string =>
  `${swiftType(shape)}${canBeAbsent || canBeNull ? '?' : ''}`;

function swiftDecoded({ name, shape, canBeAbsent, canBeNull }: Member): string {
  const read = swiftChecked(shape, `container.decode(${swiftType(shape)}.self, forKey: .${name})`);
  if (canBeNull) return `try container.decodeNil(forKey: .${name}) ? nil : ${read}`;
  return `try ${canBeAbsent ? `!container.contains(.${name}) ? nil : ` : ''}${read}`;
}

/** The compiler's own leaves members out that are null. */
const swiftEncode = (members: readonly Member[]): string => `

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
${each(members, ({ name, canBeAbsent }) => `        try container.${canBeAbsent ? 'encodeIfPresent' : 'encode'}(${name}, forKey: .${name})`)}
    }`;

const swiftForms = (forms: NamedType['forms']): string => `

    /// Whether its members belong together, as in one of the forms that the contract has.
    var isOneForm: Bool {
${each(forms, (form) => `        if ${each(form, swiftCondition, ', ')} { return true }`)}
        return false
    }`;

function swiftStruct({ name, members, forms }: NamedType): string {
  const parameter = (member: Member) => `${member.name}: ${swiftMember(member)}${member.canBeAbsent ? ' = nil' : ''}`;
  const writesNull = members.some(({ canBeNull, canBeAbsent }) => canBeNull && !canBeAbsent);
  return `public struct ${name}: Codable, Equatable, Sendable {
${each(members, (member) => indented(`${swiftComment(member.description)}public let ${member.name}: ${swiftMember(member)}`))}

    public init(${each(members, parameter, ', ')}) {
${each(members, (member) => `        self.${member.name} = ${member.name}`)}
    }

    private enum CodingKeys: CodingKey { case ${each(members, (member) => member.name, ', ')} }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
${each(members, (member) => `        ${member.name} = ${swiftDecoded(member)}`)}
${forms.length === 0 ? '' : '        guard isOneForm else { throw AnotherForm() }\n'}    }${writesNull ? swiftEncode(members) : ''}${forms.length === 0 ? '' : swiftForms(forms)}
}`;
}

/** Swift's: structs that are `Codable`. A member that may be null is written as null, one that may be absent is left out. */
export function swiftTypes(): string {
  const types = namedTypes().map((type) => {
    const { name, description, values } = type;
    return `${swiftComment(description)}${values === undefined ? swiftStruct(type) : swiftEnum(name, values)}`;
  });
  return `${HEAD}
import Foundation

${types.join('\n\n')}
`;
}
