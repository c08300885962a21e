import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { operations, validateBody } from '@svc/protocol';
import type { Command } from 'commander';
import { refusalOf } from '../../../../../scripts/lib/command-line.mjs';
import { program } from '../../program.ts';
import { type Block, git, root } from './blocks.ts';

/** A word, of quoted and other pieces; an operator; where a command reads from or writes to. */
const TOKEN = /((?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\|;&()<>])+)|([|;&()\n]+)|[<>]+ *[^\s;)|]*/gs;

/** The commands of a script, each as its words, without the settings before it. */
function commandsOf(script: string): string[][] {
  const commands: string[][] = [[]];
  for (const [, word, operator] of script
    .replaceAll('\\\n', ' ')
    .replaceAll(/(^|\s)#.*/gm, '$1')
    .matchAll(TOKEN)) {
    const words = commands.at(-1) ?? [];
    if (operator !== undefined) commands.push([]);
    else if (word !== undefined && (words.length > 0 || !/^\w+=/.test(word)))
      words.push(word.replaceAll(/'([^']*)'|"((?:\\.|[^"\\])*)"/gs, '$1$2'));
  }
  return commands.filter(({ length }) => length > 0);
}

/** Parses as the command line does, and runs nothing. @returns what is wrong, '' for nothing, as those below */
function refusalOfSvc(words: readonly string[]): string {
  const said: string[] = [];
  const onlyParse = (command: Command) => {
    command.configureOutput({ writeErr: (text) => said.push(text) });
    if (command.commands.length === 0) command.action(() => undefined);
    else command.commands.forEach(onlyParse);
  };
  const svc = program();
  onlyParse(svc);
  try {
    svc.parse([...words], { from: 'user' });
  } catch (error) {
    said.push(String(error));
  }
  return said.join('');
}

function refusalOfCurl(words: readonly string[]): string {
  const [, path, query] = words.map((word) => /(\/v1\/[^?]*)\??(.*)/.exec(word)).find((found) => found) ?? [];
  if (path === undefined) return words.some((word) => word.startsWith('https://')) ? '' : 'names no address';
  const after = (option: string) => (words.includes(option) ? words[words.indexOf(option) + 1] : undefined);
  const data = after('-d');
  const method = after('-X') ?? (data === undefined ? 'GET' : 'POST');
  const isPath = (known: string) => new RegExp(`^${known.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
  const operation = operations.find((each) => each.method.toUpperCase() === method && isPath(each.path));
  if (operation === undefined) return `${method} ${path} is no operation`;
  const [named] = (query ?? '').split('=');
  if (named && !operation.parameters.some(({ name }) => name === named)) return `${path} has no parameter ${named}`;
  if (data === undefined || data === '@-') return '';
  const body = operation.request && validateBody(operation.request.schema, JSON.parse(data));
  return body?.ok ? '' : `${method} ${path} refuses the body ${JSON.stringify(body)}`;
}

function refusalOfNpm(words: readonly string[], folder: string): string {
  const [verb = '', ...rest] = words.filter((word) => word !== '-s');
  const script = verb === 'run' ? (rest[0] ?? '') : verb;
  if (script === 'install') return '';
  const { scripts } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  if (scripts?.[script] === undefined) return `${folder} has no script ${script}`;
  const args = rest.includes('--') ? rest.slice(rest.indexOf('--') + 1) : [];
  if (script === 'svc') return refusalOfSvc(args);
  const refusal = folder === '.' ? refusalOf(script, args) : null;
  return refusal?.exitCode ? refusal.text : '';
}

/** A path of the repository, also below where a release lies. */
const PATH = /^(?:\/opt\/svc\/|https:\/\/…\/)?((?:apps|benchmarks|deploy|packages|scripts)\/.+|\S+\.(?:php|py|mjs))$/;

function refusalOfCommand(words: readonly string[], folder: string): string {
  const [name = '', ...rest] = words;
  const isHere = (path: string) => [folder, '.'].some((at) => existsSync(join(root, at, path)));
  const missing = words.flatMap((word) => PATH.exec(word)?.[1] ?? []).find((path) => !isHere(path));
  if (missing !== undefined) return `no ${missing}`;
  if (name === 'npm') return refusalOfNpm(rest, folder);
  if (name === 'curl') return refusalOfCurl(rest);
  const at = words.findIndex((word) => /^(\S*bin\/)?svc$/.test(word));
  return at === 0 || (at > 0 && /^(docker|systemd-run)$/.test(name)) ? refusalOfSvc(words.slice(at + 1)) : '';
}

/** Settings that a block names and nothing reads. */
export function unreadSettings({ text }: Block): string[] {
  const isUnread = (name: string) => git('grep', '-lwF', name, '--', ':!*.md') === '';
  return [...new Set(text.match(/\b(SVC_[A-Z_]+|DATABASE_URL)/g))].filter(isUnread).map((name) => `no ${name}`);
}

/** What is wrong with a block of commands. */
export function shellErrorsOf(block: Block): string[] {
  const { stderr, status } = spawnSync('bash', ['-n', '-c', block.text], { encoding: 'utf8' });
  if (status !== 0) return [stderr];
  let folder = /^(packages|examples)\//.test(block.file) ? dirname(block.file) : '.';
  const errors = commandsOf(block.text).flatMap((words) => {
    if (words[0] === 'cd') folder = words[1] ?? '';
    const refusal = refusalOfCommand(words, folder);
    return refusal === '' ? [] : [`${words.join(' ')}: ${refusal}`];
  });
  return [...errors, ...unreadSettings(block)];
}
