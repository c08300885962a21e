import { createRequire } from 'node:module';
import process from 'node:process';
import pg from 'pg';
import { afterAll } from 'vitest';
import { type SentStatement, SOURCES, sameInBoth, writeRecording } from './recordings.ts';

/**
 * Records what the service sends to the database while its tests run: each statement once, which of its parameters were
 * always the same value, and the lines of the service's sources that made it. No value is kept.
 */

const require = createRequire(import.meta.url);

interface Sent {
  readonly sql: string;
  readonly bindings?: readonly unknown[];
}

interface Runner {
  readonly builder: object;
}

/** The parts of knex that make statements and send them. */
const { prototype: client } = require('knex/lib/client.js') as {
  prototype: { raw(...args: unknown[]): object };
};
const { prototype: postgres } = require('knex/lib/dialects/postgres/index.js') as {
  prototype: { queryBuilder(...args: unknown[]): object; _query(connection: unknown, sent: Sent): unknown };
};
const { prototype: runner } = require('knex/lib/execution/runner.js') as {
  prototype: { query(this: Runner, sent: Sent): unknown };
};

const { prototype: builders } = require('knex/lib/query/querybuilder.js') as { prototype: { clone(): object } };

const FRAMES = 14;
/** Knex reads and makes its own tables of migrations. */
const OF_MIGRATIONS = /"(schema|key_store)_migrations/;

/** Lines by the places on a stack before they are mapped to the sources, which takes long. */
const knownLines = new Map<string, readonly string[]>();

const linesIn = (stack: string): string[] =>
  [...stack.matchAll(/(\/[^\s():]+):(\d+):\d+/g)].flatMap(([, path = '', line]) =>
    path.startsWith(SOURCES) ? [`${path.slice(SOURCES.length)}:${line}`] : [],
  );

/** The lines of the service's sources on the stack, the innermost first. */
function linesOnStack(): readonly string[] {
  const { stackTraceLimit, prepareStackTrace } = Error;
  Error.stackTraceLimit = FRAMES;
  let found: readonly string[] = [];
  Error.prepareStackTrace = (error, sites) => {
    const key = sites.map((site) => `${site.getFileName()}:${site.getLineNumber()}:${site.getColumnNumber()}`).join();
    found = knownLines.get(key) ?? linesIn(String(prepareStackTrace?.(error, sites) ?? key));
    knownLines.set(key, found);
    return '';
  };
  void new Error().stack;
  Object.assign(Error, { stackTraceLimit, prepareStackTrace });
  return found;
}

/** For each parameter, from 1, the first one with the same value. */
function sameValues(values: readonly unknown[]): number[] {
  const first = new Map<unknown, number>();
  return values.map((value, i) => {
    const key = Buffer.isBuffer(value) ? value.toString('hex') : value;
    const found = first.get(key) ?? i + 1;
    first.set(key, found);
    return found;
  });
}

const isOfTests = (line: string) => /^testing\/|\.test\.ts:|\.fixture\.ts:/.test(line);
const isOfRecorder = (line: string) => line.startsWith('testing/routing/record-statements.ts:');

class Recorder {
  readonly #statements = new Map<string, SentStatement>();
  readonly #lines = new Set<string>();
  readonly #madeAt = new WeakMap<object, readonly string[]>();
  readonly #sender = new WeakMap<object, readonly string[]>();
  /** Set while knex hands a statement to the driver: those that the driver gets otherwise are recorded there. */
  #isOfKnex = false;

  made<T extends object>(builder: T): T {
    const lines = linesOnStack().filter((line) => !isOfRecorder(line));
    for (const line of lines) if (!isOfTests(line)) this.#lines.add(line);
    this.#madeAt.set(builder, lines);
    return builder;
  }

  copied<T extends object>(builder: object, copy: T): T {
    this.#madeAt.set(copy, this.#madeAt.get(builder) ?? []);
    return copy;
  }

  sending(builder: object, sent: Sent): void {
    this.#sender.set(sent, this.#madeAt.get(builder) ?? []);
  }

  ofKnex<T>(sent: Sent, send: () => T): T {
    const lines = this.#sender.get(sent) ?? [];
    // Statements of tests themselves begin in them; migrations are not looked at.
    const [first] = lines;
    const isSkipped =
      first === undefined ? OF_MIGRATIONS.test(sent.sql) : isOfTests(first) || first.startsWith('db/migrate.ts:');
    if (!isSkipped) this.#add(sent.sql, sent.bindings, lines);
    this.#isOfKnex = true;
    try {
      return send();
    } finally {
      this.#isOfKnex = false;
    }
  }

  ofDriver(sent: unknown): void {
    if (this.#isOfKnex) return;
    const { text, values } = typeof sent === 'string' ? { text: sent, values: [] } : (sent as pg.QueryConfig);
    this.#add(text, values as unknown[], []);
  }

  #add(sql: string, values: readonly unknown[] = [], lines: readonly string[]): void {
    const known = this.#statements.get(sql);
    const same = sameValues(values);
    this.#statements.set(sql, {
      sql,
      same: known === undefined ? same : sameInBoth(known.same, same),
      lines: known?.lines ?? lines,
    });
  }

  write(): void {
    writeRecording(String(process.pid), { statements: [...this.#statements.values()], lines: [...this.#lines] });
  }
}

function install(): Recorder {
  const recorder = new Recorder();
  const { queryBuilder } = postgres;
  postgres.queryBuilder = function (this: object, ...args: unknown[]) {
    return recorder.made(queryBuilder.apply(this, args));
  };
  const { raw } = client;
  client.raw = function (this: object, ...args: unknown[]) {
    return recorder.made(raw.apply(this, args));
  };
  const { clone } = builders;
  builders.clone = function () {
    return recorder.copied(this, clone.call(this));
  };
  const { query } = runner;
  runner.query = function (this: Runner, sent: Sent) {
    recorder.sending(this.builder, sent);
    return query.call(this, sent);
  };
  const { _query: send } = postgres;
  postgres._query = function (this: unknown, connection: unknown, sent: Sent) {
    return recorder.ofKnex(sent, () => send.call(this, connection, sent));
  };
  const driver = pg.Client.prototype as unknown as { query(...args: unknown[]): unknown };
  const { query: ask } = driver;
  driver.query = function (this: { connectionParameters: { application_name?: string } }, ...args: unknown[]) {
    if (this.connectionParameters.application_name === 'svc-api') recorder.ofDriver(args[0]);
    return ask.apply(this, args);
  };
  return recorder;
}

/** A process runs several test files. */
const held = globalThis as { statementRecorder?: Recorder };
held.statementRecorder ??= install();
const recorder = held.statementRecorder;
afterAll(() => recorder.write());
