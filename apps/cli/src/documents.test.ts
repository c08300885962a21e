import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  consentLedgerLineSchema,
  enrolPersonRequestSchema,
  validateBody,
  webhookNotificationSchema,
} from '@svc/protocol';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Block, blocks, git, root } from './testing/documents/blocks.ts';
import { shellErrorsOf, unreadSettings } from './testing/documents/shell.ts';
import { typeErrorsOf } from './testing/documents/types.ts';

type Check = (block: Block) => readonly string[];
/** @param is whether it holds; may throw */
function that(is: (text: string, mark: string) => unknown): Check {
  return ({ text, mark }) => (is(text, mark) ? [] : ['is not what its language, or its mark, says']);
}
const everyLine = (is: (line: string) => boolean) => that((text) => text.trim().split('\n').every(is));

/** JSON in which a document may leave out the rest of an identifier, a hash, or members. */
function parseJson(text: string) {
  const whole = { _: '_01jwnafy00e2rbg3vfk4s6q9tz', '"': `"${'0'.repeat(64)}`, ',': '', '{': '{' };
  return JSON.parse(text.replaceAll(/([_",{])…/g, (_, before: keyof typeof whole) => whole[before]));
}

const marked: Readonly<Record<string, (value: object) => boolean>> = {
  '': () => true,
  consent: (value) => validateBody(enrolPersonRequestSchema, { personId: 'T-1', imageBase64: 'AAAA', ...value }).ok,
  notification: (value) => webhookNotificationSchema.safeParse(value).success,
};

/** Whether as many elements begin as end, by name. */
const markup = that((text) => {
  const names = (tag: RegExp) => [...text.matchAll(tag)].map(([, name]) => name).sort();
  return String(names(/<([\w.]+)(?:\s[^<>]*[^<>/])?>/g)) === String(names(/<\/([\w.]+)>/g));
});

/** What no compiler here reads: where our sources are, and words that are another's. */
const native: Readonly<Record<string, readonly [folder: string, words: string]>> = {
  kts: ['android', 'includeBuild androidResources noCompress'],
  swift: ['ios/Sources', 'package path token URL Task show synced'],
  dart: ['flutter/lib', 'SizedBox height child token result'],
  csharp: ['maui/Svc.Device.Maui', 'token result'],
};

/** Every name of a block, outside texts and comments, is in our sources or a known other. */
const namesExist: Check = ({ text, language }) => {
  const [folder = '', words = ''] = native[language] ?? [];
  const names = new Set(text.replaceAll(/"[^"\n]*"|'[^'\n]*'|\/\/.*/g, '').match(/\b[A-Za-z_]\w*/g));
  const places = [folder, 'contract'].map((place) => `packages/device-sdk-native/${place}`);
  const isOurs = (name: string) => git('grep', '-lwF', name, '--', ...places, ':!*/test/*') !== '';
  return [...names].filter((name) => !words.split(' ').includes(name) && !isOurs(name)).map((name) => `no ${name}`);
};

const checks: Readonly<Record<string, Check>> = {
  sh: shellErrorsOf,
  json: that((text, mark) => marked[mark]?.(parseJson(text))),
  // Whole lines are of the ledger.
  ndjson: everyLine((line) => consentLedgerLineSchema.safeParse(parseJson(line)).success || line.includes('…')),
  yaml: that((text) => parse(text)),
  ini: (block) => [...everyLine((line) => /^[A-Z_]+=\S+$/.test(line))(block), ...unreadSettings(block)],
  html: markup,
  xml: markup,
  // Tests of apps/api and packages/device-sdk-react-native run and compile these.
  python: ({ file }) => (file === 'docs/guide/consent.md' ? [] : ['is run by nothing']),
  kotlin: ({ file }) => (file === 'docs/build/platforms/android.md' ? [] : ['is compiled by nothing']),
  hex: everyLine((line) => /^([\d a-f]*|[a-z ]+:)$/.test(line)),
  http: everyLine((line) => /^[A-Z][\w-]+: \S/.test(line)),
  text: () => [],
  ...Object.fromEntries(Object.keys(native).map((language) => [language, namesExist])),
};

const typed = blocks.filter(({ language }) => /^(m?js|tsx?)$/.test(language));
it('every block of the documents keeps to the types of the packages', () => {
  expect([typed.length > 9, typeErrorsOf(typed)]).toEqual([true, '']);
});

const others = blocks.filter((block) => !typed.includes(block));
it.each(others)('$file:$line is what its fence says, and names what exists', (block) => {
  const { file, line, language, text } = block;
  if (native[language]) process.stdout.write(`skipped: ${file}:${line}: ${language} is not compiled here\n`);
  const paths = [...text.matchAll(/\.\.\/svc\/([\w./-]+)/g)].flatMap(([, path = '']) => path);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(checks[language]?.(block) ?? `“${language}” is no language of a block`).toEqual([]);
});
