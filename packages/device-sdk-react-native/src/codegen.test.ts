import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SchemaType } from '@react-native/codegen/lib/CodegenSchema';
import { allGenerators, type FilesOutput } from '@react-native/codegen/lib/generators/RNCodegen';
import { TypeScriptParser } from '@react-native/codegen/lib/parsers/typescript/parser';
import { describe, expect, it } from 'vitest';

/** What React Native generates when an app is built, beside the glue that has to fit to it. */
const folder = new URL('../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, folder), 'utf8');
const { codegenConfig } = JSON.parse(read('package.json'));
const parser = new TypeScriptParser();
const parsed = ['NativeSvcDevice.ts', 'SvcCameraViewNativeComponent.ts'].map((name) =>
  parser.parseFile(fileURLToPath(new URL(`${codegenConfig.jsSrcsDir}/${name}`, folder))),
);
const schema: SchemaType = { modules: Object.assign({}, ...parsed.map(({ modules }) => modules)) };

/** Files that a generator makes, by their name without a folder. */
function generated(generator: keyof typeof allGenerators): ReadonlyMap<string, string> {
  const generate = allGenerators[generator] as (
    name: string,
    schema: SchemaType,
    packageName: string,
    assumeNonnull: boolean,
  ) => FilesOutput;
  const files = generate(codegenConfig.name, schema, codegenConfig.android.javaPackageName, false);
  return new Map([...files].map(([path, text]) => [basename(path), text]));
}

const wordsOf = (text: string) => text.replace(/\s+/g, ' ');

describe('codegen', () => {
  it('reads the specs: one module, and one component', () => {
    expect(Object.entries(schema.modules).map(([name, { type }]) => [name, type])).toEqual([
      ['NativeSvcDevice', 'NativeModule'],
      ['SvcCameraView', 'Component'],
    ]);
  });

  it.each([
    ['generateModuleJavaSpec', 'org/svc/device/reactnative/NativeSvcDeviceSpec.java'],
    ['generatePropsJavaInterface', 'com/facebook/react/viewmanagers/SvcCameraViewManagerInterface.java'],
    ['generatePropsJavaDelegate', 'com/facebook/react/viewmanagers/SvcCameraViewManagerDelegate.java'],
  ] as const)('%s makes what the Kotlin glue is checked against', (generator, path) => {
    expect(read(`android/stubs/java/${path}`)).toBe(generated(generator).get(basename(path)));
  });

  it('asks for the methods that the module for iOS has', () => {
    const header = [...generated('generateModuleObjCpp').values()].find((text) => text.includes('@protocol')) ?? '';
    const methods = [...(/@protocol[^\n]+\n(.*?)@end/s.exec(header)?.[1] ?? '').matchAll(/^- \(.*?;/gms)].map(
      ([text]) => wordsOf(text.replace(';', '')),
    );
    expect(methods).toHaveLength(1);
    const glue = wordsOf(read('ios/SvcDeviceModule.mm'));
    for (const method of methods) expect(glue).toContain(`${method} {`);
    expect(header).toContain('- (void)emitOnDeviceEvent:(NSDictionary *)value;');
  });

  it.each([
    ...Object.values<{ className: string }>(codegenConfig.ios.modules),
    ...Object.values<{ className: string }>(codegenConfig.ios.components),
  ])('finds the class $className', ({ className }) => {
    expect(read(`ios/${className}.mm`)).toContain(`@implementation ${className}`);
  });
});
