import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * A page's texts by language and key. A row is a text, a column a language, and a cell stands as it is: nothing is quoted.
 * @throws SyntaxError for a row with more or fewer cells than the first, and for a key that came before
 */
export function readTexts(table: string): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const lines = table.replace(/\r?\n$/, '').split(/\r?\n/);
  const [[, ...languages] = [], ...rows] = lines.map((line) => line.split('\t'));
  const keys = new Set<string>();
  for (const [i, [key = '', ...cells]] of rows.entries()) {
    const fault = cells.length === languages.length ? keys.has(key) && 'comes again' : `has ${cells.length} texts`;
    if (fault) throw new SyntaxError(`texts.tsv, row ${i + 2}: “${key}” ${fault}`);
    keys.add(key);
  }
  const column = (at: number) => Object.fromEntries(rows.map(([key, ...cells]) => [key, cells[at] ?? '']));
  return new Map(languages.map((language, at) => [language, column(at)]));
}

/**
 * Writes each table `texts.tsv` of a package as a JSON file a language, into the folder `generated` beside it.
 * @returns the languages, BCP 47
 * @throws SyntaxError for a table that is none
 */
export function splitTexts(root: string): readonly string[] {
  const sources = join(root, 'src');
  const files = existsSync(sources) ? readdirSync(sources, { recursive: true, encoding: 'utf8' }) : [];
  return files.filter((name) => /[/\\]texts\.tsv$/.test(name)).flatMap((name) => splitTable(join(sources, name)));
}

function splitTable(path: string): readonly string[] {
  const folder = join(dirname(path), 'generated');
  const texts = readTexts(readFileSync(path, 'utf8'));
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.json')))
    if (!texts.has(name.replace('.json', ''))) rmSync(join(folder, name), { force: true });
  for (const [language, own] of texts) {
    const [file, json] = [join(folder, `${language}.json`), JSON.stringify(own, null, 2)];
    if (existsSync(file) && readFileSync(file, 'utf8') === json) continue;
    // Another process may read or write it at the same time.
    writeFileSync(`${file}.${process.pid}`, json);
    renameSync(`${file}.${process.pid}`, file);
  }
  return [...texts.keys()];
}

/** Run as a program, in a package's folder, it splits the tables there: types are made of the files. */
if (process.argv[1] === import.meta.filename) splitTexts(process.cwd());
