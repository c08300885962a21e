// Checks that relative links of documents lead to existing files, that the manual has each document of docs/ once, that
// the guides of all platforms have the same headings and store declarations, that docs/operate/asvs.md answers every
// requirement, that the formats of docs/internals/releasing.md are those of the sources, that every command that a
// document names is run, that pages say the words of the glossary, and that documents keep to 120 columns and leave
// FORBIDDEN words out.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { documentedCommands, ELSEWHERE } from './lib/documented-commands.mjs';
import { root } from './lib/setup.mjs';

const STATUSES = new Set(['met', 'partly', 'open', 'n/a']);
/** Section of ASVS 5.0.0, and its number of requirements of levels 1 and 2. V10 and V17 are left out. */
const REQUIREMENTS = [
  '1.1:2 1.2:9 1.3:11 1.4:3 1.5:2 2.1:3 2.2:3 2.3:4 2.4:1 3.2:2 3.3:4 3.4:6 3.5:5 3.7:2 4.1:3 4.2:1 4.3:2 4.4:4',
  '5.1:1 5.2:3 5.3:2 5.4:3 6.1:3 6.2:12 6.3:4 6.4:4 6.5:5 6.6:3 6.8:4 7.1:3 7.2:4 7.3:2 7.4:5 7.5:2 7.6:2',
  '8.1:2 8.2:3 8.3:1 8.4:1 9.1:3 9.2:4 10.1:2 10.2:2 10.5:5 11.1:2 11.2:3 11.3:3 11.4:4 11.5:1 11.6:1 12.1:3 12.2:2 12.3:4',
  '13.1:1 13.2:5 13.3:2 13.4:5 14.1:2 14.2:4 14.3:3 15.1:3 15.2:3 15.3:7 16.1:1 16.2:5 16.3:4 16.4:3 16.5:3',
].flatMap((line) => line.split(' ').map((section) => section.split(':')));
const ASVS = 'docs/operate/asvs.md';
const MANUAL = 'docs/README.md';

/** Headings of every guide in docs/build/platforms, in this order. */
const GUIDE = [
  'Install',
  'Permissions',
  'Pair',
  'Use',
  'Privacy manifest and store declarations',
  'What was never run on a device',
];
/** Flutter and .NET MAUI are previews, with a page of another form. */
const PLATFORMS = ['android', 'ios', 'react-native'];
const DECLARATIONS = 'docs/build/platforms/store-declarations.md';

const complain = (file, what) => {
  process.stdout.write(`${file}: ${what}\n`);
  process.exitCode = 1;
};

function documents() {
  const markdown = (folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name));
  const readmes = spawnSync('git', ['ls-files', 'packages/**/README.md', 'examples/*/README.md'], {
    cwd: root,
    encoding: 'utf8',
  }).stdout;
  return ['README.md', ...markdown('docs'), ...readmes.trim().split('\n')];
}

function checkLinks(file) {
  const text = readFileSync(join(root, file), 'utf8').replace(/^```.*?^```/gms, '');
  const named = new Map([...text.matchAll(/^\[([^\]]+)\]: (\S+)$/gm)].map(([, name, target]) => [name, target]));
  const inline = [...text.matchAll(/(?:\]\(|src(?:set)?=")([^()\s"]+)[)"]/g)].map(([, target]) => target);
  for (const target of [...inline, ...named.values()]) {
    const [path] = target.split('#');
    if (path === '' || /^[a-z]+:/.test(path)) continue;
    if (!existsSync(join(root, dirname(file), path))) complain(file, `leads to ${path}, which is not there`);
  }
  for (const name of named.keys()) {
    if (!text.includes(`[${name}],`) && text.split(`[${name}]`).length < 3) complain(file, `[${name}] is used nowhere`);
  }
  return named;
}

/** The manual has every document of `docs/` once. */
function checkManual(files) {
  const links = readFileSync(join(root, MANUAL), 'utf8').matchAll(/\]\(([^()#]+)\)/g);
  const named = [MANUAL, ...[...links].map(([, target]) => join('docs', target))];
  const isOnce = (path) => named.includes(path) && named.indexOf(path) === named.lastIndexOf(path);
  for (const path of files) if (path.startsWith('docs/') && !isOnce(path)) complain(MANUAL, `has not ${path} once`);
}

/** Guides are compared by their headings, so that who knows one finds everything in another. */
function checkGuide(file) {
  if (!existsSync(join(root, file))) return complain(file, 'is not there');
  const text = readFileSync(join(root, file), 'utf8').replace(/^```.*?^```/gms, '');
  const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
  if (headings.join() !== GUIDE.join())
    complain(file, `has the headings ${headings.join(' · ')}, not ${GUIDE.join(' · ')}`);
  if (!text.includes('](store-declarations.md)')) complain(file, `does not lead to ${DECLARATIONS}`);
}

/** What the declarations name for Apple is in the privacy manifest of the iOS shell, and nothing else is. */
function checkPrivacyManifest() {
  const manifest = 'packages/device-sdk-native/ios/Sources/SvcDevice/Resources/PrivacyInfo.xcprivacy';
  const types = /<string>NSPrivacyCollectedDataType((?!Purpose)\w+)</g;
  const listed = [...readFileSync(join(root, manifest), 'utf8').matchAll(types)].map(([, type]) => type);
  const declarations = readFileSync(join(root, DECLARATIONS), 'utf8');
  const declared = [...declarations.matchAll(/Apple: ([\w ]+),/g)].map(([, name]) => name.replace(' ', ''));
  if (declared.join() !== listed.join()) complain(manifest, `lists ${listed.join(', ')}, not ${declared.join(', ')}`);
}

/** Expands an item's numbers, such as `6.1.2, 6.2.1–6.2.12`. */
const numbersOf = (cell, all) =>
  cell.split(', ').flatMap((range) => {
    const [first, last = first] = range.split('–');
    return all.slice(all.indexOf(first), all.indexOf(last) + 1);
  });

function checkRequirements(names) {
  const all = REQUIREMENTS.flatMap(([section, count]) =>
    Array.from({ length: Number(count) }, (_, i) => `${section}.${i + 1}`),
  );
  const answered = [];
  const text = readFileSync(join(root, ASVS), 'utf8');
  for (const [, cell, status, answer] of text.matchAll(/^- ([\d., –]+) \*\*([^*]+)\*\*: (.+(?:\n {2}.+)*)$/gm)) {
    const numbers = numbersOf(cell, all);
    if (numbers.length === 0) complain(ASVS, `${cell} is no requirement of level 1 or 2`);
    answered.push(...numbers);
    if (!STATUSES.has(status)) complain(ASVS, `${cell} has no status`);
    const references = [...answer.matchAll(/\[([^\]]+)\](?!\()/g)].map(([, name]) => name);
    const leads = answer.includes('](') || references.some((name) => names.has(name));
    if ((status === 'met' || status === 'partly') && !leads) complain(ASVS, `${cell} leads nowhere`);
  }
  for (const number of all) {
    const times = answered.filter((each) => each === number).length;
    if (times !== 1) complain(ASVS, `${number} is answered ${times} times`);
  }
  return all.length;
}

/** The versions of formats that docs/internals/releasing.md names are those that the sources write. */
function checkFormats() {
  const file = 'docs/internals/releasing.md';
  const rows = /^\| Format \|.*?\n\n/ms.exec(readFileSync(join(root, file), 'utf8'))?.[0] ?? '';
  const names = [...rows.matchAll(/`(svc\/[\w-]+\/v\d+|svc-[\w-]+\/\d+|SVC[A-Z]+\d+)`/g)].map(([, name]) => name);
  if (names.length < 8) complain(file, 'names fewer formats than there are');
  for (const name of names) {
    const { status } = spawnSync('git', ['grep', '-qF', name, '--', 'packages/*/src/*.ts', 'apps/api/src/*.ts'], {
      cwd: root,
    });
    if (status !== 0) complain(file, `names ${name}, which no source writes`);
  }
}

/** The modules of the three ways through the code exist, and are not more than a reader can follow. */
function checkWays() {
  const file = 'docs/internals/architecture.md';
  const text = readFileSync(join(root, file), 'utf8');
  for (const [way, most] of [
    ['An enrolment', 40],
    ['A frame', 30],
    ['A sync', 28],
  ]) {
    const [, list = ''] = text.split(`**${way}** `)[1]?.split('\n\n') ?? [];
    const paths = list.split(/^- /m).flatMap((part) => {
      const [base, ...names] = [...part.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
      if (base === undefined) return [];
      return base.endsWith('/') ? names.map((name) => base + name) : [base, ...names];
    });
    if (paths.length === 0 || paths.length > most) complain(file, `${way}: ${paths.length} modules, at most ${most}`);
    for (const path of paths) if (!existsSync(join(root, path))) complain(file, `${way}: ${path} is not there`);
  }
}

const GROUPS = 'account|plan|key|user|event|list|device|token|webhook|signing-key|consents|keys|models|region';
const SVC = new RegExp(`^svc (?:(?:${GROUPS}) )?[a-z-]+(?: --report [a-z]+)?`);
const OUTSIDE = new RegExp(`^(?:sudo )?(${ELSEWHERE.join('|')}) `);

/** The commands in a document's shell blocks and code spans, `svc` without its arguments. */
function commandsIn(text) {
  const blocks = [...text.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].flatMap(([, block]) => block.split('\n'));
  const spans = text.replace(/^ *```.*?^ *```$/gms, '').matchAll(/`([^`]+)`/g);
  return [...blocks, ...[...spans].map(([, span]) => span.replace(/\s+/g, ' '))].flatMap((line) => {
    const outside = OUTSIDE.exec(line.trim());
    if (outside !== null) return [outside[1]];
    const plain = line.replace(/npm run (-s |--silent )?svc -- |bin\/svc /g, 'svc ').replace(/ #.*/, '');
    const found = plain.matchAll(/(?:^|[\s(|])((?:npm [a-z]|npx [a-z]|node scripts\/|svc [a-z])[^|;)&>]*)/g);
    return [...found]
      .map(([, command]) => SVC.exec(command)?.[0] ?? command.trim())
      .filter((each) => !each.includes('…'));
  });
}

/** Whether a command without a row is run: typed by a test of the command line, or a test file itself. */
function isTested(command) {
  const [, path] = /^npx vitest run ([\w./-]+)/.exec(command) ?? [];
  const grep = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout !== '';
  if (path !== undefined) return path === 'src/FILE' || grep('ls-files', `*/${path}*`);
  const words = command.slice('svc '.length).split(' ');
  const own = `apps/cli/src/commands/${words[0]}.e2e.test.ts`;
  const isTyped = (text, file) => grep('grep', '-E', `['\`]${text}\\b`, '--', file);
  return isTyped(words.join("( |', ')"), 'apps/cli/src/*.test.ts') || isTyped(words.at(-1), own);
}

/** Every command that a document names has a row that tells what runs it, and every row a document. */
function checkCommands(files) {
  const text = (file) => readFileSync(join(root, file), 'utf8');
  const named = new Map(files.flatMap((file) => commandsIn(text(file)).map((command) => [command, file])));
  for (const [command, file] of named) {
    if (!Object.hasOwn(documentedCommands, command) && !isTested(command))
      complain(file, `“${command}” is run by nothing: scripts/lib/documented-commands.mjs`);
  }
  for (const [command, { by }] of Object.entries(documentedCommands)) {
    if (!named.has(command)) complain('scripts/lib/documented-commands.mjs', `no document names “${command}”`);
    if (by !== undefined && !text(by[0]).includes(by[1])) complain(by[0], `does not run “${command}”: no ${by[1]}`);
  }
}

const FORBIDDEN = /\b(anew|bears?|told|whoever|whichever|the\s+matter\s+of|go(?:es)?\s+on|mended|alone)\b|[«»]/gi;
/** Pages that programs write, whose tables may be wide. */
const GENERATED = ['docs/internals/accuracy.md', 'docs/operate/capacity.md', 'docs/reference/settings.md'];

function checkWords(file) {
  const blank = (code) => code.replace(/./g, ' ');
  const text = readFileSync(join(root, file), 'utf8').replace(/^ *```.*?^ *```$/gms, blank);
  const at = (index) => `${file}:${text.slice(0, index).split('\n').length}`;
  for (const { 0: word, index } of text.replace(/`(?:[^`\n]|\n(?!\n))*`/g, blank).matchAll(FORBIDDEN))
    complain(at(index), `says “${word}”`);
  for (const { 0: line, index } of text.matchAll(/^.{121,}$/gm)) {
    const isUnbreakable = /^ *(- )?(\[[^\]]+\]: )?\S+$/.test(line) || line.trim() === '';
    const isGenerated = line.startsWith('|') && GENERATED.includes(file);
    if (!isUnbreakable && !isGenerated) complain(at(index), `is ${line.length} columns wide`);
  }
}

const PAGES = ['apps/dashboard/src/text', 'apps/kiosk/src/text', 'apps/widget/src/page/text'];

/** Each word of the glossary's last table is one of the dashboard's in that language, and of the widget's or kiosk's. */
function checkGlossary() {
  const file = 'docs/guide/glossary.md';
  const [, section = ''] = readFileSync(join(root, file), 'utf8').split('## In each language');
  const rows = [...section.matchAll(/^\| (.+) \|$/gm)].map(([, row]) => row.split(' | '));
  const pages = PAGES.map((path) => {
    const lines = readFileSync(join(root, path, 'texts.tsv'), 'utf8')
      .toLowerCase()
      .split('\n');
    return lines.map((line) => line.split('\t'));
  });
  const languages = pages[0][0].slice(1);
  if (rows.map(([tag]) => tag).join() !== languages.join()) complain(file, `has not the languages ${languages}`);
  for (const [tag, ...words] of rows) {
    for (const word of words) {
      const [dashboard, ...others] = pages.map(([top, ...texts]) =>
        texts.some((cells) => cells[top.indexOf(tag)]?.includes(word.toLowerCase())),
      );
      if (!dashboard || !others.includes(true)) complain(file, `${tag}: “${word}” is not what the pages say`);
    }
  }
}

const files = documents();
const LISTED = 'ls-files -co --exclude-standard *.md :!.changeset'.split(' ');
const markdown = spawnSync('git', LISTED, { cwd: root, encoding: 'utf8' });
for (const file of markdown.stdout.trim().split('\n')) checkWords(file);
checkCommands([...files, 'CONTRIBUTING.md']);
checkManual(files);
checkFormats();
checkWays();
checkGlossary();
const links = new Map(files.map((file) => [file, checkLinks(file)]));
for (const platform of PLATFORMS) checkGuide(`docs/build/platforms/${platform}.md`);
checkPrivacyManifest();
const count = checkRequirements(links.get(ASVS) ?? new Map());
process.stdout.write(`${files.length} documents, ${count} requirements\n`);
