import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const at = (path: string) => new URL(`../../../../${path}`, import.meta.url);
const read = (path: string) => JSON.parse(readFileSync(at(path), 'utf8'));

it('says the same as the kiosk in every language', () => {
  const page: Record<string, Record<string, string>> = read('packages/device-sdk-web/src/native/page/texts.json');
  const folder = 'apps/kiosk/src/text';
  const files = readdirSync(at(folder)).filter((name) => name.endsWith('.json'));
  expect(Object.keys(page).sort()).toEqual(files.map((name) => name.slice(0, -'.json'.length)).sort());
  for (const [language, words] of Object.entries(page)) {
    const kiosk: Record<string, string> = read(`${folder}/${language}.json`);
    const same = Object.keys(words).map((key) => [key, kiosk[`attempt.${key}`]]);
    expect(words, language).toEqual(Object.fromEntries(same));
  }
});
