import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath, URL } from 'node:url';
import type { SchemaType } from '@react-native/codegen/lib/CodegenSchema';
import { allGenerators, type FilesOutput } from '@react-native/codegen/lib/generators/RNCodegen';
import { TypeScriptParser } from '@react-native/codegen/lib/parsers/typescript/parser';

const folder = new URL('../../', import.meta.url);
export const { codegenConfig } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'));

const parser = new TypeScriptParser();
const parsed = ['NativeSvcDevice.ts', 'SvcCameraViewNativeComponent.ts'].map((name) =>
  parser.parseFile(fileURLToPath(new URL(`${codegenConfig.jsSrcsDir}/${name}`, folder))),
);

/** What React Native's codegen reads of the specs. */
const specs: SchemaType = { modules: Object.assign({}, ...parsed.map(({ modules }) => modules)) };

/** Files that a generator makes when an app is built, by their name without a folder. */
export function generated(generator: keyof typeof allGenerators): ReadonlyMap<string, string> {
  const generate = allGenerators[generator] as (
    name: string,
    schema: SchemaType,
    packageName: string,
    assumeNonnull: boolean,
  ) => FilesOutput;
  const files = generate(codegenConfig.name, specs, codegenConfig.android.javaPackageName, false);
  return new Map([...files].map(([path, text]) => [basename(path), text]));
}
