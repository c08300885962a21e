import type { Metrics } from '../metrics/metrics.ts';
import { ServiceError } from '../platform/errors.ts';
import { addPastSpans, inSpan } from '../tracing/span.ts';
import type { Admission, InferencePool, SealResult, SealTask } from './port.ts';

/** A pool that reports how full it is. */
export interface ObservedInferencePool extends InferencePool {
  occupancy(): { readonly places: number; readonly taken: number; readonly waiting: number };
}

function noteStages({ timings }: SealResult, totalMs: number): void {
  if (timings === undefined) return;
  const { decodeMs, analyseMs, sealMs } = timings;
  const waitMs = Math.max(0, totalMs - decodeMs - analyseMs - sealMs);
  const stages = [
    { name: 'inference.wait', ms: waitMs },
    { name: 'inference.decode', ms: decodeMs },
    { name: 'inference.analyse', ms: analyseMs },
    { name: 'inference.seal', ms: sealMs },
  ];
  addPastSpans(stages, Date.now());
}

/** Measures a pool's work: of each photo only the outcome and the duration. */
export function observeInference(
  pool: InferencePool,
  o: {
    readonly metrics: Pick<Metrics, 'inferenceRefused' | 'inferenceFinished'>;
    readonly workers: number;
    readonly places: number;
  },
): ObservedInferencePool {
  let taken = 0;
  let sealing = 0;

  async function seal(admission: Admission, task: SealTask): Promise<SealResult> {
    const startedAt = performance.now();
    sealing += 1;
    let outcome = 'failed';
    let result: SealResult | undefined;
    try {
      result = await inSpan('inference', {}, async (span) => {
        const sealed = await admission.seal(task);
        span.setAttribute('svc.outcome', sealed.ok ? 'sealed' : sealed.reason);
        noteStages(sealed, performance.now() - startedAt);
        return sealed;
      });
      outcome = result.ok ? 'sealed' : result.reason;
      return result;
    } catch (error) {
      if (error instanceof ServiceError) outcome = error.code;
      throw error;
    } finally {
      sealing -= 1;
      const seconds = (performance.now() - startedAt) / 1_000;
      o.metrics.inferenceFinished({ outcome, seconds, ...(result?.timings && { timings: result.timings }) });
    }
  }

  return {
    hasRoom(share) {
      const hasRoom = pool.hasRoom(share);
      if (!hasRoom) o.metrics.inferenceRefused();
      return hasRoom;
    },
    admit(share, gone) {
      const admission = pool.admit(share, gone);
      if (admission === null) {
        o.metrics.inferenceRefused();
        return null;
      }
      taken += 1;
      let held = true;
      return {
        seal: (task) => seal(admission, task),
        release() {
          if (held) taken -= 1;
          held = false;
          admission.release();
        },
      };
    },
    drawLogo: (image, share, gone) => pool.drawLogo(image, share, gone),
    isReady: () => pool.isReady(),
    occupancy: () => ({ places: o.places, taken, waiting: Math.max(0, sealing - o.workers) }),
    close: () => pool.close(),
  };
}
