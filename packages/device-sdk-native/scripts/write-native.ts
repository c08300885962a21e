import { InputData, JSONSchemaInput, quicktype, type TargetLanguage } from 'quicktype-core';
import type { Schema } from '../src/check.ts';
import { CSharp } from './languages/csharp.ts';
import { Dart } from './languages/dart.ts';
import { Kotlin } from './languages/kotlin.ts';
import { Swift } from './languages/swift.ts';
import { ROOT } from './languages/type-graph.ts';
import { contract, type MessageGroup, messagesOf } from './schema.ts';

interface Target {
  readonly path: string;
  readonly lang: TargetLanguage;
  readonly rendererOptions?: Record<string, string>;
  readonly indentation?: string;
  /** Messages whose types it needs, and the types that these need. */
  readonly groups: readonly MessageGroup[];
}

const everything = ['ShellRequest', 'ShellAnswer', 'PageRequest', 'PageAnswer', 'PageEvent'] as const;
/** Flutter and .NET MAUI bind to the shells and meet none of the page's own requests. */
const facade = ['ShellRequest', 'PageAnswer', 'PageEvent'] as const;

const targets: readonly Target[] = [
  {
    path: 'android/device/src/main/kotlin/org/svc/device/contract/Contract.kt',
    lang: new Kotlin(),
    rendererOptions: { package: 'org.svc.device.contract', 'acronym-style': 'camel' },
    groups: everything,
  },
  {
    path: 'ios/Sources/SvcDevice/Contract/Contract.swift',
    lang: new Swift(),
    rendererOptions: { 'acronym-style': 'camel' },
    groups: everything,
  },
  { path: 'flutter/lib/src/contract.g.dart', lang: new Dart(), indentation: '  ', groups: facade },
  {
    path: 'maui/Svc.Device.Maui/Contract.g.cs',
    lang: new CSharp(),
    rendererOptions: { 'array-type': 'list' },
    groups: facade,
  },
];

/** Keywords that say what is valid, and nothing about types. */
const LIMITS = new Set(['pattern', 'propertyNames']);
for (const what of ['Length', 'Items', 'Properties']) for (const end of ['min', 'max']) LIMITS.add(`${end}${what}`);
LIMITS.add('minimum').add('maximum');

/** A schema of types alone. The branches of an object are left out: it names the members of all of them itself. */
function typesOf(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), function (this: Schema, key, value) {
    if (LIMITS.has(key) && this.properties === undefined && !isMemberList(this)) return undefined;
    return key === 'oneOf' && this.type === 'object' ? undefined : value;
  });
}

/** An object that lists members by name, among them perhaps `pattern`. */
const isMemberList = (value: object): boolean =>
  Object.values(value).length > 0 &&
  Object.values(value).every((each) => typeof each === 'object' && !Array.isArray(each));

/** Names of the types that messages need. */
function neededBy(groups: readonly MessageGroup[]): ReadonlySet<string> {
  const needed = new Set(['Failure']);
  for (const { body } of groups.flatMap(messagesOf)) needed.add(body);
  // A set gives what is added to it while it is walked.
  for (const name of needed) {
    const text = JSON.stringify(typesOf(contract.$defs[name] ?? {}));
    for (const [, other = ''] of text.matchAll(/"#\/\$defs\/(\w+)"/g)) needed.add(other);
  }
  return needed;
}

/** What quicktype reads: a root that names every type once. */
function source(groups: readonly MessageGroup[]): string {
  const needed = neededBy(groups);
  const named = Object.entries(contract.$defs).filter(
    ([name, { type, enum: values }]) => needed.has(name) && (type === 'object' || values !== undefined),
  );
  const definitions = Object.entries(contract.$defs)
    .filter(([, { type }]) => type !== undefined)
    .map(([name, schema]) => {
      const order = schema.properties && { quicktypePropertyOrder: Object.keys(schema.properties) };
      const isNamed = named.some(([other]) => other === name);
      return [name, { ...typesOf(schema), ...order, ...(isNamed ? { title: name } : {}) }] as const;
    });
  const properties = Object.fromEntries(named.map(([name]) => [name, { $ref: `#/$defs/${name}` }]));
  return JSON.stringify({
    type: 'object',
    title: ROOT,
    properties: { ...properties, [`${ROOT}Ends`]: { type: 'boolean' } },
    $defs: Object.fromEntries(definitions),
  });
}

/** Types of all messages for the shells' languages, by path. */
export async function writeNativeTypes(): Promise<Readonly<Record<string, string>>> {
  const files: Record<string, string> = {};
  for (const { path, lang, rendererOptions = {}, indentation, groups } of targets) {
    const input = new JSONSchemaInput(undefined);
    await input.addSource({ name: ROOT, schema: source(groups) });
    const inputData = new InputData();
    inputData.addInput(input);
    const { lines } = await quicktype({
      inputData,
      lang,
      rendererOptions,
      ...(indentation === undefined ? {} : { indentation }),
      combineClasses: false,
      leadingComments: ['Written by scripts/generate.ts from contract/v1.schema.json.'],
    });
    files[path] = `${lines
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trimEnd()}\n`;
  }
  return files;
}
