import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { definitions } from './generated/definitions.ts';

/**
 * The previews for Flutter and .NET MAUI are compiled nowhere here. What can be told without their compilers: that all
 * sides of the shells' channel use the same names.
 */
const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const matches = (text: string, pattern: RegExp) =>
  [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))].sort();
const namesOf = (kind: string) => (definitions[kind]?.oneOf ?? []).map(({ properties }) => properties?.name?.const);

const dart = read('flutter/lib/svc_device.dart');
const csharp = read('maui/Svc.Device.Maui/SvcDevice.cs');
const kotlin = read('android/device/src/main/kotlin/org/svc/device/channel/SvcDeviceChannel.kt');
const swift = read('ios/Sources/SvcDevice/Apple/SvcDeviceChannel.swift');

test('calls are requests of the contract, and `forget`, which the shell carries out alone', () => {
  const calls = matches(kotlin, /^ +"(\w+)" ->/gm);
  expect(calls).toHaveLength(8);
  expect(calls.filter((name) => !namesOf('ShellRequest').includes(name))).toEqual(['forget']);
  expect(matches(dart, /_call\('(\w+)'/g)).toEqual(calls);
  expect(matches(csharp, /CallAsync\("(\w+)"/g)).toEqual(calls);
  expect(matches(swift, /^ +case "(\w+)":/gm)).toEqual(calls);
});

test('events are the same everywhere', () => {
  for (const [text, pattern] of [
    [dart, /case '(\w+)':/g],
    [csharp, /case "(\w+)":/g],
    [kotlin, /tell\("(\w+)"/g],
    [swift, /tell\("(\w+)"/g],
  ] as const)
    expect(matches(text, pattern)).toEqual(['prompt', 'status']);
});

test('settings are those of `configure` without the shell’s own', () => {
  const { properties = {} } = definitions.ConfigureRequest ?? {};
  const settings = Object.keys(properties)
    .filter((name) => name !== 'minor' && name !== 'shell')
    .sort();
  const between = (text: string, from: string, to: string) => text.split(from)[1]?.split(to)[0] ?? '';
  const lower = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);
  const record = between(csharp, 'record SvcConfiguration', '\n}');
  expect(matches(between(dart, 'this._({', '});'), /^ +'(\w+)':/gm)).toEqual(settings);
  expect(matches(record, /(?:string|SvcRegion|long)\?? (\w+)/g).map(lower)).toEqual(settings);
  expect(matches(between(kotlin, 'fun configurationOf', '\n    }'), /^ +(\w+) = /gm)).toEqual(settings);
});

test('Dart and its plugins have one name for the channel and the view', () => {
  for (const text of [
    dart,
    read('flutter/android/src/main/kotlin/org/svc/device/flutter/SvcDevicePlugin.kt'),
    read('flutter/ios/svc_device/Sources/svc_device/SvcDevicePlugin.swift'),
  ])
    expect(matches(text, /["'](svc_device(?:\/\w+)?)["']/g)).toEqual(['svc_device', 'svc_device/camera']);
});

test('the binding for .NET names the selectors that Swift has', () => {
  const binding = read('ios/ObjectiveC/SvcDeviceBinding.swift');
  const written = matches(binding, /@objc(?:\(([\w:]+:)\)| public (?:static )?(?:func|var) \w+)/g).filter(Boolean);
  const named = matches(binding, /@objc public (?:static )?(?:func|var) (\w+)/g);
  const selectors = matches(read('maui/Svc.Device.iOS.Binding/ApiDefinition.cs'), /Export\("([\w:]+)"/g);
  expect([...written, ...named].sort()).toEqual(selectors);
});
