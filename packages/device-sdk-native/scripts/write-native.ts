import type { Schema } from '../src/check.ts';
import { definitions, pageEvents, pageRequests, referredName, shellRequests } from './contract.ts';

/** What a member holds, as every language has it. */
type Shape =
  | { readonly kind: 'boolean' | 'integer' | 'number' | 'string' }
  | { readonly kind: 'list' | 'map'; readonly of: Shape }
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

interface ObjectType {
  readonly name: string;
  readonly description: string | undefined;
  readonly members: readonly Member[];
  /** Where members depend on each other: the forms that the object may have, as the branches of its definition. */
  readonly forms: readonly (readonly Condition[])[];
}

interface EnumType {
  readonly name: string;
  readonly description: string | undefined;
  readonly values: readonly string[];
}

/** How a language writes its types. */
interface Language {
  readonly head: readonly string[];
  readonly enumType: (type: EnumType) => readonly string[];
  readonly objectType: (type: ObjectType) => readonly string[];
}

const definition = (name: string): Schema => definitions[name] ?? {};

function shapeOf(schema: Schema): Shape {
  if (schema.$ref !== undefined) {
    const name = referredName(schema.$ref);
    const { type, enum: values } = definition(name);
    if (values !== undefined) return { kind: 'enum', name };
    return type === 'object' ? { kind: 'object', name } : shapeOf(definition(name));
  }
  const { type, items = {}, additionalProperties = {} } = schema;
  if (type === 'array') return { kind: 'list', of: shapeOf(items) };
  if (type === 'object') return { kind: 'map', of: shapeOf(additionalProperties) };
  if (type === undefined || type === 'null') throw new Error(`no type for ${JSON.stringify(schema)}`);
  return { kind: type };
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

/** Names of the types that messages hold, in the schema's order. */
function namesOfTypes(): readonly string[] {
  const requests = [shellRequests, pageRequests].flatMap((all) => Object.values(all).flat());
  const needed = new Set([...requests, ...Object.values(pageEvents)]);
  // A set gives what is added to it while it is walked.
  for (const name of needed) {
    for (let { shape } of membersOf(definition(name))) {
      while (shape.kind === 'list' || shape.kind === 'map') shape = shape.of;
      if (shape.kind === 'object' || shape.kind === 'enum') needed.add(shape.name);
    }
  }
  return Object.keys(definitions).filter((name) => needed.has(name) && name !== 'Empty');
}

function write({ head, enumType, objectType }: Language): string {
  const types = namesOfTypes().map((name) => {
    const schema = definition(name);
    const { description, enum: values } = schema;
    if (values !== undefined) return enumType({ name, description, values });
    const members = membersOf(schema);
    return objectType({ name, description, members, forms: formsOf(schema, members) });
  });
  return `${[['// Written by scripts/prepare-sources.ts.', ...head], ...types].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

const indented = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => (line === '' ? '' : `    ${line}`));

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

const kotlinComment = (text: string | undefined) => (text === undefined ? [] : [`/** ${text} */`]);

function kotlinType(shape: Shape): string {
  if (shape.kind === 'list') return `List<${kotlinType(shape.of)}>`;
  if (shape.kind === 'map') return `Map<String, ${kotlinType(shape.of)}>`;
  if (shape.kind === 'object' || shape.kind === 'enum') return shape.name;
  return { boolean: 'Boolean', integer: 'Long', number: 'Double', string: 'String' }[shape.kind];
}

/** A value as `org.json` holds it. */
function kotlinWritten(shape: Shape, value: string): string {
  if (shape.kind === 'list') return `JSONArray(${value}.map { ${kotlinWritten(shape.of, 'it')} })`;
  if (shape.kind === 'map') return `JSONObject(${value})`;
  if (shape.kind === 'object') return `${value}.toJson()`;
  return shape.kind === 'enum' ? `${value}.value` : value;
}

function kotlinRead(shape: Shape, value: string): string {
  if (shape.kind === 'list')
    return `(${value} as JSONArray).let { all -> List(all.length()) { ${kotlinRead(shape.of, 'all.get(it)')} } }`;
  if (shape.kind === 'map')
    return `(${value} as JSONObject).let { all -> all.keys().asSequence().associateWith { ${kotlinRead(shape.of, 'all.get(it)')} } }`;
  if (shape.kind === 'object') return `${shape.name}.fromJson(${value} as JSONObject)`;
  if (shape.kind === 'enum') return `${shape.name}.of(${value} as String)`;
  if (shape.kind === 'integer') return `(${value} as Number).toLong()`;
  return shape.kind === 'number' ? `(${value} as Number).toDouble()` : `${value} as ${kotlinType(shape)}`;
}

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

/**
 * Kotlin's: data classes that read and write `org.json`, which every Android has. Reading another form throws a
 * RuntimeException or JSON's own.
 */
export const kotlinTypes = (): string =>
  write({
    head: ['', 'package org.svc.device.contract', '', 'import org.json.JSONArray', 'import org.json.JSONObject'],
    enumType: ({ name, description, values }) => [
      ...kotlinComment(description),
      `enum class ${name}(val value: String) {`,
      ...indented([
        ...values.map((value, i) => `${pascal(value)}("${value}")${i === values.length - 1 ? ';' : ','}`),
        '',
        'companion object {',
        `    fun of(value: String): ${name} = values().first { it.value == value }`,
        '}',
      ]),
      '}',
    ],
    objectType: ({ name, description, members, forms }) => [
      ...kotlinComment(description),
      `data class ${name}(`,
      ...indented(
        members.flatMap((each) => [
          ...kotlinComment(each.description),
          `val ${each.name}: ${kotlinType(each.shape)}${each.canBeAbsent || each.canBeNull ? '? = null' : ''},`,
        ]),
      ),
      ') {',
      ...indented([
        // A value of no form cannot be made, nor read.
        ...(forms.length === 0
          ? []
          : [
              'init {',
              `    require(${forms.map((form) => `(${form.map(kotlinCondition).join(' && ')})`).join(' || ')}) {`,
              '        "its members do not belong together"',
              '    }',
              '}',
              '',
            ]),
        'fun toJson(): JSONObject {',
        '    val json = JSONObject()',
        ...members.map(({ name: each, shape, canBeAbsent, canBeNull }) => {
          if (canBeAbsent) return `    ${each}?.let { json.put("${each}", ${kotlinWritten(shape, 'it')}) }`;
          const value = canBeNull
            ? `${each}?.let { ${kotlinWritten(shape, 'it')} } ?: JSONObject.NULL`
            : kotlinWritten(shape, each);
          return `    json.put("${each}", ${value})`;
        }),
        '    return json',
        '}',
        '',
        'companion object {',
        `    fun fromJson(json: JSONObject): ${name} = ${name}(`,
        ...members.map(({ name: each, shape, canBeAbsent, canBeNull }) => {
          const isNull = canBeAbsent || canBeNull ? `if (json.isNull("${each}")) null else ` : '';
          return `        ${each} = ${isNull}${kotlinRead(shape, `json.get("${each}")`)},`;
        }),
        '    )',
        '}',
      ]),
      '}',
    ],
  });

const swiftComment = (text: string | undefined) => (text === undefined ? [] : [`/// ${text}`]);

function swiftType(shape: Shape): string {
  if (shape.kind === 'list') return `[${swiftType(shape.of)}]`;
  if (shape.kind === 'map') return `[String: ${swiftType(shape.of)}]`;
  if (shape.kind === 'object' || shape.kind === 'enum') return shape.name;
  return { boolean: 'Bool', integer: 'Int', number: 'Double', string: 'String' }[shape.kind];
}

/** `none` means another thing in an optional. */
const swiftCase = (type: string, value: string): string => (value === 'none' ? `${camel(type)}None` : camel(value));

function swiftCondition(condition: Condition): string {
  const { member, values } = condition;
  if (values === null) return `${member.name} != nil`;
  if (member.shape.kind === 'boolean') return values[0] ? member.name : `!${member.name}`;
  const cases = casesOf(condition, camel);
  return cases.length === 1 ? `${member.name} == ${cases[0]}` : `[${cases.join(', ')}].contains(${member.name})`;
}

/** Swift's: structs that are `Codable`. A member that may be null is written as null, one that may be absent is left out. */
export const swiftTypes = (): string =>
  write({
    head: [],
    enumType: ({ name, description, values }) => [
      ...swiftComment(description),
      `public enum ${name}: String, Codable, CaseIterable, Sendable {`,
      ...indented(values.map((value) => `case ${swiftCase(name, value)} = "${value}"`)),
      '}',
    ],
    objectType: ({ name, description, members, forms }) => {
      const typed = members.map((each) => {
        const type = `${swiftType(each.shape)}${each.canBeAbsent || each.canBeNull ? '?' : ''}`;
        return { ...each, type, parameter: `${each.name}: ${type}${each.canBeAbsent ? ' = nil' : ''}` };
      });
      // The compiler's own leaves members out that are null.
      const encoded = members.map(({ name: each, canBeAbsent }) => {
        return `    try container.${canBeAbsent ? 'encodeIfPresent' : 'encode'}(${each}, forKey: .${each})`;
      });
      return [
        ...swiftComment(description),
        `public struct ${name}: Codable, Equatable, Sendable {`,
        ...indented([
          ...typed.flatMap((each) => [...swiftComment(each.description), `public let ${each.name}: ${each.type}`]),
          '',
          `public init(${typed.map(({ parameter }) => parameter).join(', ')}) {`,
          ...members.map(({ name: each }) => `    self.${each} = ${each}`),
          '}',
          ...(members.some(({ canBeNull, canBeAbsent }) => canBeNull && !canBeAbsent)
            ? [
                '',
                'public func encode(to encoder: any Encoder) throws {',
                '    var container = encoder.container(keyedBy: CodingKeys.self)',
                ...encoded,
                '}',
              ]
            : []),
          ...(forms.length === 0
            ? []
            : [
                '',
                '/// Whether its members belong together, as in one of the forms that the contract has.',
                'public var isOneForm: Bool {',
                ...forms.map((form) => `    if ${form.map(swiftCondition).join(', ')} { return true }`),
                '    return false',
                '}',
              ]),
        ]),
        '}',
      ];
    },
  });
