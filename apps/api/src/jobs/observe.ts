import type { Metrics } from '../metrics/metrics.ts';
import { inSpan } from '../tracing/span.ts';
import type { RecurringJob } from './runner.ts';

/** Times a job's runs, each under a span of its own. */
export function observeJob(job: RecurringJob, metrics: Pick<Metrics, 'jobFinished'>): RecurringJob {
  const run = async () => {
    const startedAt = performance.now();
    let outcome: 'completed' | 'failed' = 'failed';
    try {
      const result = await inSpan(`job ${job.name}`, {}, () => job.run());
      outcome = 'completed';
      return result;
    } finally {
      metrics.jobFinished({ job: job.name, outcome, seconds: (performance.now() - startedAt) / 1_000 });
    }
  };
  return { ...job, run };
}
