import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The sources of the service; lines in a recording are named from here. */
export const SOURCES = fileURLToPath(new URL('../../', import.meta.url));

const FOLDER = fileURLToPath(new URL('../../../node_modules/.statements/', import.meta.url));

/** A statement that was sent. */
export interface SentStatement {
  readonly sql: string;
  /** For each parameter, from 1, the first one that had the same value every time. */
  readonly same: readonly number[];
  /** Where it was made, as `path:line`, innermost first. */
  readonly lines: readonly string[];
}

export interface Recording {
  readonly statements: readonly SentStatement[];
  /** Lines that made a statement or a part of one. */
  readonly lines: readonly string[];
}

/** Forgets earlier runs. */
export function clearRecordings(): void {
  rmSync(FOLDER, { recursive: true, force: true });
}

export function writeRecording(name: string, recording: Recording): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FOLDER}${name}.json`, JSON.stringify(recording));
}

/** Of two parameters that were the same value in one run and differed in another, neither stands for the other. */
export function sameInBoth(a: readonly number[], b: readonly number[]): number[] {
  const first = new Map<string, number>();
  return a.map((own, i) => {
    const key = `${own} ${b[i]}`;
    const found = first.get(key) ?? i + 1;
    first.set(key, found);
    return found;
  });
}

export function mergeRecordings(all: Iterable<Recording>): Recording {
  const statements = new Map<string, SentStatement>();
  const lines = new Set<string>();
  for (const recording of all) {
    for (const line of recording.lines) lines.add(line);
    for (const sent of recording.statements) {
      const known = statements.get(sent.sql);
      const same = known === undefined ? sent.same : sameInBoth(known.same, sent.same);
      statements.set(sent.sql, { sql: sent.sql, same, lines: known?.lines ?? sent.lines });
    }
  }
  return { statements: [...statements.values()], lines: [...lines] };
}

/** What all processes of the latest run recorded. */
export function readRecordings(): Recording {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
  return mergeRecordings(files.map((name) => JSON.parse(readFileSync(FOLDER + name, 'utf8')) as Recording));
}
