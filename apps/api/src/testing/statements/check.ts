import { createRequire } from 'node:module';
import { afterAll, expect } from 'vitest';
import { checkAccounts } from './accounts.ts';

/** Fails a test file in which the service sends a statement that does not name its account, as CONTRIBUTING.md demands. */

const require = createRequire(import.meta.url);

interface Sent {
  readonly sql: string;
  readonly bindings?: readonly unknown[];
}

interface Runner {
  readonly builder: object;
  readonly client: { positionBindings(sql: string): string };
}

/** The parts of knex that make statements and send them. */
const { prototype: client } = require('knex/lib/client.js') as { prototype: { raw(...args: unknown[]): object } };
const { prototype: postgres } = require('knex/lib/dialects/postgres/index.js') as {
  prototype: { queryBuilder(...args: unknown[]): object };
};
const { prototype: builders } = require('knex/lib/query/querybuilder.js') as { prototype: { clone(): object } };
const { prototype: runner } = require('knex/lib/execution/runner.js') as {
  prototype: { query(this: Runner, sent: Sent): unknown };
};

/** Statements of tests themselves, and of migrations, are not checked. */
const UNCHECKED = /\/src\/testing\/|\.test\.ts|\.fixture\.ts|\/src\/db\/(migrate|roles)\.ts/;

function isOfService(): boolean {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 14;
  const frames = String(new Error().stack).split('\n');
  Error.stackTraceLimit = stackTraceLimit;
  const innermost = frames.find((frame) => frame.includes('/apps/api/src/') && !frame.includes('/statements/check.ts'));
  return innermost !== undefined && !UNCHECKED.test(innermost);
}

/** @returns what was sent and may not be, as it comes up */
function install(): Set<string> {
  const failures = new Set<string>();
  const ofService = new WeakSet<object>();
  const made = <T extends object>(builder: T): T => {
    if (isOfService()) ofService.add(builder);
    return builder;
  };
  const { queryBuilder } = postgres;
  postgres.queryBuilder = function (this: object, ...args) {
    return made(queryBuilder.apply(this, args));
  };
  const { raw } = client;
  client.raw = function (this: object, ...args) {
    return made(raw.apply(this, args));
  };
  const { clone } = builders;
  builders.clone = function () {
    const copy = clone.call(this);
    if (ofService.has(this)) ofService.add(copy);
    return copy;
  };
  const { query } = runner;
  runner.query = function (sent) {
    if (ofService.has(this.builder)) {
      const sql = this.client.positionBindings(sent.sql);
      for (const problem of checkAccounts(sql, sent.bindings ?? [])) failures.add(`${problem}: ${sql}`);
    }
    return query.call(this, sent);
  };
  return failures;
}

/** Installed once in a process, which may run several test files. */
const held = globalThis as { wrongStatements?: Set<string> };
held.wrongStatements ??= install();
const wrong = held.wrongStatements;
afterAll(() => {
  const found = [...wrong];
  wrong.clear();
  expect(found).toEqual([]);
});
