import '@svc/page-kit/styles.css';
import './manual.css';
import MiniSearch from 'minisearch';
import type { Page } from '../scripts/build.ts';

const MOST_RESULTS = 12;
const SNIPPET = 180;

const box = document.querySelector('search') as HTMLElement;
const input = box.querySelector('input') as HTMLInputElement;
const [status, list] = box.querySelectorAll('p, ol') as Iterable<HTMLElement> as [HTMLElement, HTMLElement];

/** The text of all pages is fetched at the first search. */
let loading: Promise<(words: string) => readonly HTMLElement[]> | undefined;
async function load() {
  const pages: readonly Page[] = await (await fetch(box.dataset.sections ?? '')).json();
  const sections = pages.flatMap(({ href, page, sections }) =>
    sections.map(([hash, heading = '', text = '']) => ({ href: href + hash, page, heading, text })),
  );
  const index = new MiniSearch({
    fields: ['heading', 'page', 'text'],
    searchOptions: { boost: { heading: 4, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
  });
  index.addAll(sections.map((section, id) => ({ id, ...section })));
  return (words: string) =>
    index
      .search(words)
      .slice(0, MOST_RESULTS)
      .map(({ id, terms }) => itemOf(sections[id] as Section, terms[0] ?? ''));
}

type Section = Readonly<Record<'href' | 'page' | 'heading' | 'text', string>>;
function itemOf({ href, page, heading, text }: Section, term: string): HTMLElement {
  const start = Math.max(0, text.toLowerCase().indexOf(term) - SNIPPET / 3);
  const link = Object.assign(document.createElement('a'), { href });
  const title = Object.assign(document.createElement('strong'), { textContent: heading });
  const snippet = document.createElement('span');
  snippet.textContent = text.slice(start, start + SNIPPET).replace(start > 0 ? /^\S*/ : '', '');
  link.append(title, heading === page ? '' : ` ${page}`, snippet);
  const item = document.createElement('li');
  item.append(link);
  return item;
}

async function show(): Promise<void> {
  const words = input.value.trim();
  loading ??= load();
  const find = await loading.catch(() => null);
  if (find === null) loading = undefined;
  const items = words === '' || find === null ? [] : find(words);
  list.replaceChildren(...items);
  status.textContent = find === null ? 'The search did not load. Try again.' : words && `${items.length} found.`;
}

// Pictures are there in English and German.
if (/^de\b/i.test(navigator.language))
  for (const { attributes } of document.querySelectorAll('picture > *'))
    for (const each of attributes) each.value = each.value.replace(/-en\.webp$/, '-de.webp');

box.hidden = false;
document.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
input.addEventListener('input', () => void show());
document.addEventListener('keydown', (event) => {
  const isInside = box.contains(document.activeElement);
  if (event.key === 'Escape' && isInside) {
    input.value = '';
    void show();
    input.focus();
  } else if (event.key === 'Enter' && document.activeElement === input) list.querySelector('a')?.click();
  else if (event.key === '/' && !isInside) input.focus();
  else return;
  event.preventDefault();
});
