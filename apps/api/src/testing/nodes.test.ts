import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SOURCES = fileURLToPath(new URL('..', import.meta.url));

/** Test files that need a single node, with the reason. */
function testsOfOneNode(): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.test.ts')) continue;
    const why = /oneNodeOnly\('([^']+)'\)/.exec(readFileSync(join(SOURCES, name), 'utf8'))?.[1];
    if (why !== undefined) found[name] = why;
  }
  return found;
}

it('nodes are looked at alone in these tests; all others pass on several', () => {
  expect(testsOfOneNode()).toEqual({
    'features/demo/demo.e2e.test.ts': 'each node has an organiser of its own',
    'features/live/live.e2e.test.ts': 'which node’s streams end',
    'features/openapi/openapi.fuzz.test.ts': 'how it answers what hardly is HTTP',
    'features/sessions/sessions.e2e.test.ts': 'its own count of those who sign in',
    'http/database-outage.e2e.test.ts': 'its connections',
    'http/drain.e2e.test.ts': 'how it stops',
    'http/http.e2e.test.ts': 'how it speaks HTTP, byte by byte',
    'http/overload.e2e.test.ts': 'what it takes at one time',
    'http/rate-limits.e2e.test.ts': 'its own counts; there is a second node beside it',
    'metrics/metrics.e2e.test.ts': 'its metrics',
    'metrics/monitoring-files.e2e.test.ts': 'its metrics',
  });
});
