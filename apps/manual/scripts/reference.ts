/** Writes a page of each published package out of its declarations, where those have been built. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix } from 'node:path';
import Slugger from 'github-slugger';
import type ts from '../../../tooling/node_modules/typescript/lib/typescript.js';

type Declared = Readonly<{ file: string; name: string; isType: boolean; comment: string; code: string }>;
/** What a name of a file, or `export NAME`, stands for: a declaration, or another name. */
type Names = Map<string, Declared | Readonly<{ file: string; key: string }>>;

/** Heading of what a package does not export. */
export const INNER = 'Types that these name';
/** Comments, strings, and the names that a declaration uses, which is code or HTML. */
export const PARTS =
  /(\/\*\*.*?\*\/)|'.*?'|&#39;.*?&#39;|((?<=typeof )\w+|(?<!(?:class|interface|type) )\b[A-Z]\w*\b(?![?:(]))/gs;
const FORMAT = ['format', '--line-width=96', '--stdin-file-path=reference.ts'];
const LINK = /\{@link[\s*]+([\w.]+)\}/g;
const { compare: byName } = new Intl.Collator('en');
const declarationsOf = (folder: string, path: string) => join(folder, path.replace(/\.m?js$/, '.d.ts'));

/** A comment as Markdown. */
function proseOf(comment: string, linkTo: (name: string) => string): readonly string[] {
  const plain = comment.replace(/^\/\*\*[\s*]*|\s*\*\/$|^ *\* ?/gm, '').replace(LINK, (_, name) => linkTo(name));
  const [prose = '', ...tags] = plain.split(/(?:^|\s)@(?=(?:param|returns|throws) )/);
  const items = tags.map((tag) => {
    const [, kind, name = '', rest] = /^(\w+) ([\w.]*)(.*)$/.exec(tag.replace(/\s+/g, ' ').trim()) ?? [];
    if (kind === 'param') return `- \`${name}\`:${rest}`;
    return kind === 'throws' ? `- Throws ${linkTo(name)}${rest}` : `- Returns ${name}${rest}`;
  });
  return [prose.trim(), items.join('\n')].filter((part) => part !== '');
}

/** @returns each page as Markdown, with the anchors of the names on it */
export function referencesIn(root: string) {
  const entries = readdirSync(join(root, 'packages')).flatMap((name) => {
    const folder = join(root, 'packages', name);
    if (!existsSync(join(folder, 'package.json'))) return [];
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return Object.entries<{ import?: string }>(manifest.exports).flatMap(([entry, { import: path }]) => {
      const file = manifest.private || path === undefined ? '' : declarationsOf(folder, path);
      return existsSync(file) ? { specifier: posix.join(manifest.name, entry), file, name, manifest } : [];
    });
  });
  if (entries.length === 0) return [];

  // Where packages are built, it is installed.
  const compiler: typeof ts = createRequire(join(root, 'tooling/package.json'))('typescript');
  const opened = new Map<string, Names>();

  function namesIn(file: string): Names {
    const names: Names = opened.get(file) ?? new Map();
    if (names.size > 0) return names;
    opened.set(file, names);
    const text = String(execFileSync(join(root, 'node_modules/.bin/biome'), FORMAT, { input: readFileSync(file) }));
    for (const statement of compiler.createSourceFile(file, text, compiler.ScriptTarget.ESNext, true).statements) {
      const code = statement.getText();
      const [, kind, list, from] = /^(import|export) (?:type )?\{(.*)\}(?: from '(.*)')?;$/s.exec(code) ?? [];
      const entry = entries.find(({ specifier }) => specifier === from)?.file ?? '';
      const other = from?.startsWith('.') ? declarationsOf(join(file, '..'), from) : entry;
      for (const [, name = '', alias = name] of (list ?? '').matchAll(/(\w+)(?: as (\w+))?/g)) {
        const place = from === undefined ? { file, key: name } : { file: other, key: `export ${name}` };
        names.set(kind === 'import' ? alias : `export ${alias}`, place);
      }
      if (list !== undefined) continue;
      const named = compiler.isVariableStatement(statement) ? statement.declarationList.declarations[0] : statement;
      const name = (named as ts.DeclarationStatement).name?.getText() ?? '';
      const comment = compiler.getJSDocCommentsAndTags(statement).findLast(compiler.isJSDoc)?.getText() ?? '';
      const plain = code.replace(/^(export )?declare /, '').replace(LINK, '$1');
      names.set(name, { file, name, isType: /^(interface|type) /.test(plain), comment, code: plain });
    }
    return names;
  }

  function find(file: string, key: string): readonly Declared[] {
    const found = file === '' ? undefined : namesIn(file).get(key);
    return found === undefined ? [] : 'code' in found ? [found] : find(found.file, found.key);
  }

  return [...new Set(entries.map(({ name }) => name))].map((folder) => {
    const own = entries.filter(({ name }) => name === folder);
    const seen = new Set<Declared>();
    const exported = own.flatMap(({ specifier, file }, i) => {
      const keys = [...namesIn(file).keys()].filter((key) => key.startsWith('export ')).sort(byName);
      const all = keys.flatMap((key) => find(file, key)).filter((each) => !seen.has(each) && seen.add(each));
      return ['Functions and classes', 'Types'].map((kind, type) => ({
        heading: kind + (i === 0 ? '' : ` of ${specifier}`),
        all: all.filter(({ isType }) => Number(isType) === type),
      }));
    });
    // The set grows as it is walked: what is found uses more.
    for (const { file, code } of seen)
      for (const [, , use = ''] of code.matchAll(PARTS)) for (const each of find(file, use)) seen.add(each);
    const inner = [...seen].slice(exported.flatMap(({ all }) => all).length).sort((a, b) => byName(a.name, b.name));
    const sections = [...exported, { heading: INNER, all: inner }].filter(({ all }) => all.length > 0);
    const { name: title, description } = own[0]?.manifest ?? {};
    const headings = [
      `Reference of ${title}`,
      ...sections.flatMap(({ heading, all }) => [heading, ...all.map(({ name }) => name)]),
    ];
    const slugger = new Slugger();
    const anchors = new Map(headings.map((heading) => [heading, `#${slugger.slug(heading)}`]));
    const linkTo = (name: string, anchor = anchors.get(name.split('.')[0] ?? '')) =>
      anchor === undefined ? `\`${name}\`` : `[\`${name}\`](${anchor})`;
    const describe = ({ name, comment, code }: Declared) =>
      [`### ${name}`, ...proseOf(comment, linkTo), `\`\`\`ts\n${code}\n\`\`\``].join('\n\n');
    const listOf = (all: readonly Declared[]) => all.map(({ name }) => linkTo(name)).join(' · ');
    const blocks = sections.flatMap(({ heading, all }) => [`## ${heading}`, listOf(all), ...all.map(describe)]);
    const text = `${[`# ${headings[0]}`, `${description}.`, ...blocks].join('\n\n')}\n`;
    return { path: `docs/reference/${folder}.md`, title, text, anchors };
  });
}
