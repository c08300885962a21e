import { readFileSync } from 'node:fs';
import { URL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { codegenConfig, generated } from './testing/codegen.ts';

// The Java that codegen makes is compiled with the Kotlin glue, in `android.test.ts`.
const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const wordsOf = (text: string) => text.replace(/\s+/g, ' ');

describe('codegen', () => {
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
