import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { XMLValidator } from 'fast-xml-parser';
import { beforeAll, describe, expect, test } from 'vitest';
import { Language, type Node, Parser } from 'web-tree-sitter';
import { foundChromium } from '../../../scripts/lib/chromium.mjs';
import { definitions } from './definitions.ts';
import { formatDart } from './testing/dart-format.ts';

/**
 * The bindings for Flutter and .NET MAUI are compiled nowhere here. What can be told without their compilers: their
 * syntax, their size, and that all sides of the channel use the same names.
 */
const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const read = (path: string) => readFileSync(at(path), 'utf8');
const isGenerated = (path: string) => /\.g\.(dart|cs)$/.test(path);
const isBeside = (path: string) => /\/(example|stubs|test|Sample|Svc\.Device\.Tests)\//.test(path);

/** Files of a folder whose names end so. */
function filesIn(folder: string, ending: RegExp): string[] {
  return readdirSync(at(folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name) && !/(^|\/)(build|bin|obj|\.dart_tool)\//.test(name))
    .map((name) => `${folder}/${name}`)
    .sort();
}

/** Names of the messages of a kind. */
const namesOf = (kind: string) => (definitions[kind]?.oneOf ?? []).map(({ properties }) => properties?.name?.const);

const SOURCES = /\.(dart|cs|kts?|swift|csproj|props|xml|ya?ml|plist|xaml)$/;

describe.each(['flutter', 'maui'])('%s', (folder) => {
  test('has less than 600 lines that somebody wrote, beside tests, sample and stubs', () => {
    const own = filesIn(folder, SOURCES).filter((path) => !isGenerated(path) && !isBeside(path));
    const lines = own.map((path) => read(path).split('\n').length - 1);
    const sum = lines.reduce((total, count) => total + count, 0);
    expect(sum).toBeGreaterThan(300);
    expect(sum).toBeLessThan(600);
  });

  test('says first that nothing compiles it here', () => {
    const [title, , label] = read(`${folder}/README.md`).split('\n');
    expect(title).toMatch(/^# /);
    expect(label).toMatch(/^\*\*Not compiled here\.\*\*/);
  });
});

describe('Dart', () => {
  const chromium = foundChromium();
  if (chromium === undefined) process.stdout.write('skipped: no Chromium, so Dart sources are not parsed\n');
  test.skipIf(chromium === undefined)('parses, and is as `dart format` writes it', async () => {
    const paths = filesIn('flutter', /\.dart$/);
    const [broken, ...formatted] = await formatDart(chromium ?? '', ['void main() { f() }', ...paths.map(read)]);
    expect(broken?.error).toContain("Expected to find ';'");
    for (const [index, path] of paths.entries()) {
      expect(formatted[index]?.error, path).toBeUndefined();
      if (!isGenerated(path)) expect(formatted[index]?.text, path).toBe(read(path));
    }
  });
});

describe('C#', () => {
  let parser: Parser;

  beforeAll(async () => {
    await Parser.init();
    parser = new Parser();
    parser.setLanguage(
      await Language.load(createRequire(import.meta.url).resolve('tree-sitter-c-sharp/tree-sitter-c_sharp.wasm')),
    );
  });

  /** Where the text is no C#. */
  function mistakes(text: string): string[] {
    const found: string[] = [];
    const walk = (node: Node) => {
      if (node.isError || node.isMissing) found.push(`line ${node.startPosition.row + 1}: ${node.text.slice(0, 60)}`);
      for (const child of node.children) if (child?.hasError) walk(child);
    };
    const root = parser.parse(text)?.rootNode;
    if (root?.hasError) walk(root);
    return root === undefined ? ['not parsed'] : root.hasError && found.length === 0 ? ['somewhere'] : found;
  }

  test('parses', () => {
    expect(mistakes('class A { int B() { return 1 } }')).not.toEqual([]);
    for (const path of filesIn('maui', /\.cs$/)) expect(mistakes(read(path)), path).toEqual([]);
  });
});

test('projects and manifests for .NET are well-formed XML', () => {
  const paths = filesIn('maui', /\.(csproj|props|xml|plist)$/);
  expect(paths.length).toBeGreaterThan(6);
  for (const path of paths) {
    expect(XMLValidator.validate(read(path)), path).toBe(true);
    // XML allows no two hyphens in a comment; the validator does.
    for (const [, comment] of read(path).matchAll(/<!--(.*?)-->/gs)) expect(comment, path).not.toContain('--');
  }
});

describe('the channel', () => {
  const matches = (text: string, pattern: RegExp) =>
    [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))].sort();
  const dart = read('flutter/lib/src/device.dart');
  const csharp = read('maui/Svc.Device.Maui/SvcDevice.cs');
  const kotlin = read('android/device/src/main/kotlin/org/svc/device/channel/SvcDeviceChannel.kt');
  const swift = read('ios/Sources/SvcDevice/Apple/SvcDeviceChannel.swift');
  const calls = matches(dart, /_call\('(\w+)'/g);
  const events = matches(dart, /case '(\w+)':/g);

  test('has calls and events of the contract, and `forget`, which the shell carries out alone', () => {
    expect(calls).toHaveLength(8);
    expect(calls.filter((name) => !namesOf('ShellRequest').includes(name))).toEqual(['forget']);
    expect(events).toEqual(['prompt', 'status']);
    expect(namesOf('PageEvent')).toEqual(expect.arrayContaining(events));
  });

  test('has the same calls in C#, Kotlin and Swift', () => {
    expect(matches(csharp, /(?:Call|End)Async\("(\w+)"/g)).toEqual(calls);
    expect(matches(kotlin, /^ +"(\w+)" ->/gm)).toEqual(calls);
    expect(matches(swift, /^ +case "(\w+)":/gm)).toEqual(calls);
  });

  test('has the same events in C#, Kotlin and Swift', () => {
    expect(matches(csharp, /case "(\w+)":/g)).toEqual(events);
    expect(matches(kotlin, /tell\("(\w+)"/g)).toEqual(events);
    expect(matches(swift, /tell\("(\w+)"/g)).toEqual(events);
  });

  test('has the same settings everywhere, those of `configure` without the shell’s own', () => {
    const { properties = {} } = definitions.ConfigureRequest ?? {};
    const settings = Object.keys(properties)
      .filter((name) => name !== 'minor' && name !== 'shell')
      .sort();
    const between = (text: string, from: string, to: string) => text.split(from)[1]?.split(to)[0] ?? '';
    expect(matches(read('flutter/lib/src/configuration.dart'), /^ {4}'(\w+)':/gm)).toEqual(settings);
    expect(matches(read('maui/Svc.Device.Maui/SvcConfiguration.cs'), /\["(\w+)"\]/g)).toEqual(settings);
    expect(matches(between(kotlin, 'fun configurationOf', '\n    }'), /^ +(\w+) = /gm)).toEqual(settings);
    expect(matches(between(swift, 'struct Settings', 'var configuration'), /^ +let (\w+):/gm)).toEqual(settings);
  });

  test('has the same arguments everywhere', () => {
    const named = ['headTurn', 'scannedId'];
    for (const [text, pattern] of [
      [dart, /'(scannedId|headTurn)':/g],
      [csharp, /\["(\w+)"\] =/g],
      [kotlin, /body\.\w+\("(scannedId|headTurn)"/g],
      [swift, /asked\.(\w+)/g],
    ] as const)
      expect(matches(text, pattern)).toEqual(named);
  });

  test('has one name for the channel and the view, in Dart and in both plugins', () => {
    const plugins = [
      read('flutter/android/src/main/kotlin/org/svc/device/flutter/SvcDevicePlugin.kt'),
      read('flutter/ios/svc_device/Sources/svc_device/SvcDevicePlugin.swift'),
    ];
    const quoted = /["'](svc_device(?:\/\w+)?)["']/g;
    const names = matches(dart + read('flutter/lib/src/camera_view.dart'), quoted);
    expect(names).toEqual(['svc_device', 'svc_device/camera']);
    for (const text of plugins) expect(matches(text, quoted)).toEqual(names);
  });

  test('has the selectors in Swift that the binding for .NET names', () => {
    const definition = read('maui/Svc.Device.iOS.Binding/ApiDefinition.cs');
    const binding = read('ios/ObjectiveC/SvcDeviceBinding.swift');
    const selectors = matches(definition, /Export\("([\w:]+)"/g);
    const written = [
      ...matches(binding, /@objc\(([\w:]+:)\)/g),
      ...matches(binding, /@objc public (?:static )?(?:func|var) (\w+)/g),
    ];
    expect(written.sort()).toEqual(selectors);
  });
});
