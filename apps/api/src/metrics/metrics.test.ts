import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { auditActions } from '../features/audit/service.ts';
import { type Attempt, observeSend } from '../features/webhooks/sender.ts';
import { observeJob } from '../jobs/runner.ts';
import { createMetrics } from './metrics.ts';

describe('documented', () => {
  const page = readFile(new URL('../../../../docs/operate/monitoring.md', import.meta.url), 'utf8');

  it('has every metric in the operators’ page, and none besides', async () => {
    const metrics = createMetrics();
    metrics.watch({
      inference: () => ({ places: 0, taken: 0, waiting: 0 }),
      databasePool: () => ({ used: 0, free: 0, waiting: 0 }),
      readiness: { lack: () => Promise.resolve(null), startSeconds: () => 3 },
    });
    const served = [...(await metrics.render()).matchAll(/^# HELP (\S+) /gm)].map(([, name]) => name);
    const documented = [...(await page).matchAll(/^\| `(svc_\w+)` \|/gm)].map(([, name]) => name);
    expect(documented.sort()).toEqual(served.sort());
  });

  it('has every act of the audit log there', async () => {
    const text = await page;
    expect(auditActions.filter((action) => !text.includes(`\`${action}\``))).toEqual([]);
  });
});

describe('observers', () => {
  const lines = async (metrics: ReturnType<typeof createMetrics>, name: string) =>
    (await metrics.render()).split('\n').filter((line) => line.startsWith(name));

  describe('what goes on behind requests', () => {
    it('counts attempts to deliver by what came of them, and tells no address', async () => {
      const metrics = createMetrics();
      const attempts: Attempt[] = [
        { isDelivered: true, status: 204 },
        { isDelivered: false, status: 500, failure: 'status' },
        { isDelivered: false, status: null, failure: 'timeout' },
      ];
      for (const attempt of attempts) {
        const send = observeSend(() => Promise.resolve(attempt), metrics);
        expect(await send('https://canary.example/hook', {}, new Uint8Array())).toBe(attempt);
      }
      expect(await lines(metrics, 'svc_webhook_attempt_duration_seconds_count')).toEqual(
        ['delivered', 'status', 'timeout'].map(
          (outcome) => `svc_webhook_attempt_duration_seconds_count{outcome="${outcome}"} 1`,
        ),
      );
      expect(await metrics.render()).not.toContain('canary');
    });

    it('counts runs of jobs, failed ones too, and hands their failure on', async () => {
      const metrics = createMetrics();
      const job = (run: () => Promise<unknown>) => observeJob({ name: 'purge-tokens', everyMs: 60_000, run }, metrics);
      expect(await job(() => Promise.resolve(7)).run()).toBe(7);
      await expect(job(() => Promise.reject(new Error('no'))).run()).rejects.toThrow('no');
      expect(await lines(metrics, 'svc_job_duration_seconds_count')).toEqual([
        'svc_job_duration_seconds_count{name="purge-tokens",outcome="completed"} 1',
        'svc_job_duration_seconds_count{name="purge-tokens",outcome="failed"} 1',
      ]);
    });

    it('counts runs from zero, so that a job that never runs is seen', async () => {
      const metrics = createMetrics();
      observeJob({ name: 'expire-people', everyMs: 60_000, run: () => Promise.resolve() }, metrics);
      expect(await lines(metrics, 'svc_job_duration_seconds_count')).toEqual([
        'svc_job_duration_seconds_count{name="expire-people",outcome="completed"} 0',
        'svc_job_duration_seconds_count{name="expire-people",outcome="failed"} 0',
      ]);
    });
  });
});
