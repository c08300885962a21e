/** Builds the documents that docs/README.md names into `dist/`, as pages, as Markdown and for the search. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundlePage, contentTypeOf, IMMUTABLE, writeSite } from '@svc/page-kit/build';
import Slugger from 'github-slugger';
import { Marked, type Tokens } from 'marked';
import { INNER, PARTS, referencesIn } from './reference.ts';

/** A page as the search reads it: of each heading the anchor, its text and the text below it. */
export type Page = Readonly<{ href: string; page: string; sections: readonly (readonly string[])[] }>;

/** Path below which the service serves the pages. */
const BASE = '/manual/';
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const HOME = 'docs/README.md';
const DEFINITION = /^\[([^\]]+)\]: (\S+)\n/gm;

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = join(root, 'apps/manual');
const outDir = join(folder, 'dist');
// `npm start` builds no declarations: what another command left of them may be old.
const references = process.env.SVC_BUILD === 'quick' ? [] : referencesIn(root);
const anchorsIn = (path: string) => references.find((each) => each.path === path)?.anchors;
const listed = references.map(({ path, title }) => `- [${title}](${posix.relative('docs', path)})\n`).join('');
const home = readFileSync(join(root, HOME), 'utf8').replace(/^## Reference\n.*?(?=\n## )/ms, (list) => list + listed);
const written = new Map([[HOME, home], ...references.map(({ path, text }) => [path, text] as const)]);
const read = (path: string) =>
  written.get(path) ?? readFileSync(join(root, path), 'utf8').replaceAll('="docs/pictures/', '="pictures/');

const named = [...home.matchAll(/\]\(([^()\s]+)/g)].map(([, href = '']) => posix.join('docs', href));
const documents = [...written.keys(), ...named.filter((path) => path.endsWith('.md') && existsSync(join(root, path)))];
const nameOf = (path: string) => (path === HOME ? 'index' : path.replace(/^docs\//, '').replace(/\.md$/, ''));

/** Where sources can be read; null while the publisher has named no place. */
const publisher = existsSync(join(root, 'release.config.json')) ? read('release.config.json') : '';
const repository = /"repository": "(https:\/\/[^/"]+(?<!\.example)\/[^"]+)"/.exec(publisher)?.[1] ?? null;

/** @returns the address of what a document's link leads to; null where that has none */
function addressOf(from: string, href: string, suffix: '.md' | '.html'): string | null {
  if (/^([a-z]+:|#)/.test(href)) return href;
  const [, path = '', hash = ''] = /^([^#]*)(.*)$/.exec(href) ?? [];
  const target = posix.join(posix.dirname(from), path);
  const document = documents.find((each) => each === target || each === `${target}/README.md`);
  if (document !== undefined) return BASE + nameOf(document) + suffix + hash;
  return repository === null ? null : `${repository}/blob/HEAD/${target}`;
}

/** The document with addresses of the manual, each at its link; a link that has none becomes its text. */
function markdownOf(path: string, text: string): string {
  const defined = new Map<string, string>();
  for (const [, name = '', href = ''] of text.matchAll(DEFINITION)) defined.set(name, href);
  const parts = /(^```.*?^```$)|\[((?:[^[\]]|\[[^[\]]*\])*)\](?:\(([^()\s]+)\)|\[([^\]]+)\])?/gms;
  return text.replace(DEFINITION, '').replace(parts, (part, _code, title, href, name = title) => {
    const to = href ?? defined.get(name?.replace(/\s+/g, ' '));
    if (to === undefined) return part;
    const address = addressOf(path, to, '.md');
    return address === null ? title : `[${title}](${address})`;
  });
}

const ENTITIES = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
const textOf = (html: string) =>
  Object.entries(ENTITIES).reduce(
    (text, [entity, char]) => text.replaceAll(entity, char),
    html.replace(/<[^>]*>/g, ''),
  );
const escapeHtml = (text: string) =>
  Object.entries(ENTITIES).reduceRight((html, [entity, char]) => html.replaceAll(char, entity), text);

/** The document as HTML, with anchors as GitHub makes them. */
function htmlOf(path: string, text: string): string {
  const slugger = new Slugger();
  const anchors = anchorsIn(path);
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const title = this.parser.parseInline(tokens);
        return `<h${depth} id="${slugger.slug(textOf(title))}">${title}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const [title, address] = [this.parser.parseInline(tokens), addressOf(path, href, '.html')];
        return address === null ? title : `<a href="${escapeHtml(address)}">${title}</a>`;
      },
      // Addresses of the service that shows the manual.
      codespan: ({ text }) =>
        /^\/docs(\/[\w.]+)?$/.test(text) ? `<a href="${text}">${text}</a>` : `<code>${escapeHtml(text)}</code>`,
      // What is wide scrolls, by the keyboard too.
      code({ text }) {
        const html = escapeHtml(text).replace(PARTS, (part, comment, name) => {
          if (comment !== undefined) return `<span>${comment.replace(/(?<!\*)\n +\* +(?![@-])/g, ' ')}</span>`;
          return anchors?.has(name) ? `<a href="${anchors.get(name)}">${name}</a>` : part;
        });
        return `<pre tabindex="0"><code>${html}\n</code></pre>\n`;
      },
      // Its addresses are relative: they are those of the page, too.
      html: ({ text }) => (/^<(p|details)><(picture|summary)>/.test(text) ? text : escapeHtml(text)),
    },
  });
  return (marked.parse(text) as string).replace(/<table>.*?<\/table>/gs, '<div class="table" tabindex="0">$&</div>');
}

function pageOf(path: string, html: string): Page {
  // Of a reference, exported names are enough for the search.
  const [searched = ''] = html.split(`>${INNER}</h2>`);
  const headings = [...searched.matchAll(/<h\d id="(.+?)">(.*?)<\/h\d>(.*?)(?=<h\d |$)/gs)];
  const page = textOf(headings[0]?.[2] ?? '');
  const sections = headings.map(([, id, heading = '', text = ''], i) => {
    const isName = i > 0 && anchorsIn(path) !== undefined;
    return [i === 0 ? '' : `#${id}`, textOf(heading), isName ? '' : textOf(text).replace(/\s+/g, ' ').trim()];
  });
  return { href: `${BASE}${nameOf(path)}.html`, page, sections };
}

const contents = htmlOf(HOME, read(HOME)).replace(/<h1.*?<\/h1>|<p>.*?<\/p>| id="[^"]*"/gs, '');

/** The contents beside a page, with the page's own headings. */
function contentsOf(path: string, html: string): string {
  const own = [...html.matchAll(/<h2 id="(.+?)">(.*?)<\/h2>/g)];
  const items = own.map(([, id, title = '']) => `<li><a href="#${id}">${escapeHtml(textOf(title))}</a></li>`);
  const link = new RegExp(`(<a href="${BASE}${nameOf(path)}.html")(>.*?</a>)`);
  return contents.replace(link, (_, start, end) => `${start} aria-current="page"${end}<ul>${items.join('')}</ul>`);
}

await bundlePage({ root: folder, html: join(folder, 'index.html'), outDir, base: BASE });
const template = readFileSync(join(outDir, 'index.html'), 'utf8');
const pages = documents.map((path) => ({ path, html: htmlOf(path, read(path)) }));
const index = JSON.stringify(pages.map(({ path, html }) => pageOf(path, html)));
const indexName = `assets/sections-${createHash('sha256').update(index).digest('hex').slice(0, 8)}.json`;
await writeFile(join(outDir, indexName), index);
for (const { path, html } of pages) {
  const name = nameOf(path);
  const fields: Readonly<Record<string, string>> = {
    ...{ title: escapeHtml(pageOf(path, html).page), sections: BASE + indexName },
    ...{ contents: contentsOf(path, html), article: html, markdown: `${BASE}${name}.md` },
  };
  await mkdir(dirname(join(outDir, name)), { recursive: true });
  await writeFile(
    join(outDir, `${name}.html`),
    template.replace(/\{\{(\w+)\}\}/g, (_, field) => fields[field] ?? ''),
  );
  await writeFile(join(outDir, `${name}.md`), markdownOf(path, read(path)));
}
await cp(join(root, 'docs/pictures'), join(outDir, 'pictures'), { recursive: true });
await writeSite(outDir, (path) => ({
  'Content-Type': contentTypeOf(path),
  'Cache-Control': path.startsWith('assets/') ? IMMUTABLE : 'no-cache',
  'Content-Security-Policy': path.endsWith('.html') ? POLICY : "default-src 'none'",
}));
