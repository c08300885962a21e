import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { auditActions } from '../features/audit/service.ts';
import { createPrometheusMetrics } from './prometheus.ts';

const page = readFile(new URL('../../../../docs/monitoring.md', import.meta.url), 'utf8');

it('has every metric in the operators’ page, and none besides', async () => {
  const metrics = createPrometheusMetrics();
  metrics.watch({
    inference: () => ({ places: 0, taken: 0, waiting: 0 }),
    databasePool: () => ({ used: 0, free: 0, waiting: 0 }),
  });
  const served = [...(await metrics.render()).matchAll(/^# HELP (\S+) /gm)].map(([, name]) => name);
  const documented = [...(await page).matchAll(/^\| `(svc_\w+)` \|/gm)].map(([, name]) => name);
  expect(documented.sort()).toEqual(served.sort());
});

it('has every act of the audit log there', async () => {
  const text = await page;
  expect(auditActions.filter((action) => !text.includes(`\`${action}\``))).toEqual([]);
});
