import { sealRecord } from '@svc/core/pack';
import { createNodeAead } from '@svc/core/testing/peers';
import {
  type AdmissionsRequest,
  type ErrorCode,
  errorTable,
  isSecret,
  nonceHeaderSchema,
  type SignedArrivalsReport,
  SYNC_MEDIA_TYPE,
  syncCounterHeaderSchema,
  syncQuerySchema,
} from '@svc/protocol';
import { recurringJobs } from '../compose/background.ts';
import { composeServices } from '../compose/services.ts';
import { composeServing } from '../compose/serving.ts';
import { readConfig } from '../config/config.ts';
import { readDeviceKey } from '../features/sync/device-key.ts';
import { createEngines, type EngineIdentity } from '../inference/engines.ts';
import type { Admission } from '../inference/port.ts';
import { openWith } from '../platform/cleanup.ts';
import { ServiceError } from '../platform/errors.ts';
import { createLogger } from '../platform/logger.ts';
import type { Clock, Random } from '../platform/ports.ts';
import { createFakeInference } from './fake-inference.ts';

/** Id of the service's only model; devices never see it. */
const MODEL_ID = 'mdl_01kdvdna00f3ab0bctdvgzftew';

/** A device's sync request. */
export interface SyncCall {
  readonly authorization: string;
  readonly deviceKey: string;
  readonly nonce: string;
  readonly since: string;
  /** Absent when the device sends none. */
  readonly counter?: string | undefined;
}

/** The answer as sent. */
export interface SyncReply {
  readonly status: number;
  readonly mediaType: string;
  readonly body: Uint8Array;
  /** Call it when the answer was sent completely; resolves when that is recorded. */
  sent(): Promise<void>;
}

const problem = (code: ErrorCode): SyncReply => ({
  status: errorTable[code].status,
  mediaType: 'application/problem+json',
  body: Buffer.from(JSON.stringify({ code })),
  sent: () => Promise.resolve(),
});

/**
 * A node as production composes it, without HTTP, inference and timers: a simulation decides when its jobs run and what
 * becomes of its answers. An enrolment takes the template instead of photos.
 */
export function openSimulatedNode(o: {
  readonly databaseUrl: string;
  readonly dataDirectory: string;
  /** In base64; the first wraps. */
  readonly keks: readonly string[];
  /** PKCS #8 in base64. */
  readonly signingKey: string;
  readonly engine: Omit<EngineIdentity, 'modelId'>;
  readonly clock: Clock;
  readonly random: Random;
}) {
  const errors: string[] = [];
  const engine = { ...o.engine, modelId: MODEL_ID };
  const engines = createEngines({
    ...{ known: [engine], installed: [engine.engineId], standard: engine, checksPhotos: false, passive: null },
  });
  const config = readConfig({
    DATABASE_URL: o.databaseUrl,
    SVC_DATA_DIR: o.dataDirectory,
    SVC_KEK: o.keks.join(','),
    SVC_SIGNING_KEY: o.signingKey,
    SVC_DATABASE_CONNECTIONS: '4',
    SVC_JOBS: 'off',
  });
  const logger = createLogger('error', { write: (line) => void errors.push(line) });
  return openWith(async (cleanup) => {
    const { clock, random } = o;
    const installed = { engines, addOnDirectory: null };
    const services = await composeServices(config, { clock, random, mail: null }, false, logger, cleanup, installed);
    const { sync, arrivals, ...serving } = composeServing(
      services,
      { config, logger, pool: createFakeInference() },
      cleanup,
    );

    async function answer({ authorization, deviceKey, nonce, since, counter: shown }: SyncCall): Promise<SyncReply> {
      const token = /^Bearer +(\S+)$/.exec(authorization)?.[1] ?? '';
      if (!isSecret('svcd', token)) throw new ServiceError('invalid-credential');
      const caller = await sync.authenticate(token);
      const query = syncQuerySchema.parse({ since });
      const counter = shown === undefined ? null : syncCounterHeaderSchema.parse(shown);
      const request = {
        ...{ deviceKey: readDeviceKey(deviceKey), nonce: nonceHeaderSchema.parse(nonce), since: query.since, counter },
        software: { sdkVersion: null, engineIds: [], attendances: [] },
        payloads: null,
      };
      const { envelopeHead, payload, sent } = await sync.sync(caller, request);
      const recorded = () => {
        sent();
        return sync.flush();
      };
      return {
        status: 200,
        mediaType: SYNC_MEDIA_TYPE,
        body: Buffer.concat([envelopeHead, ...payload]),
        sent: recorded,
      };
    }

    return {
      ...services,
      ...serving,
      /** Lines of what failed behind an answer. */
      errors,
      /** The caller knows whose template it is. */
      admission: (template: Float32Array): Admission => ({
        async seal({ photo: _photo, additionalPhotos: _more, ...binding }) {
          const { dimension } = engine;
          return { ok: true, record: await sealRecord(createNodeAead(), { ...binding, dimension, template }) };
        },
        release: () => undefined,
      }),
      /** Runs all background jobs once. */
      async runJobs(): Promise<void> {
        for (const { run } of recurringJobs(services)) await run();
      },
      arrivals,
      /** As the route does. @returns the status */
      async reportArrivals(authorization: string, report: SignedArrivalsReport): Promise<number> {
        try {
          await arrivals.report(await sync.authenticate(authorization.slice('Bearer '.length)), report);
          return 204;
        } catch (error) {
          if (error instanceof ServiceError) return errorTable[error.code].status;
          throw error;
        }
      },
      /** As the route does. @throws ServiceError */
      async shareAdmissions(authorization: string, nonce: string, signature: string, request: AdmissionsRequest) {
        const caller = await sync.authenticate(authorization.slice('Bearer '.length));
        return services.admissions.exchange(caller, nonce, signature, request);
      },
      /** As the route does. */
      sync: async (call: SyncCall): Promise<SyncReply> => {
        try {
          return await answer(call);
        } catch (error) {
          if (error instanceof ServiceError) return problem(error.code);
          throw error;
        }
      },
      close: () => cleanup.run(),
    };
  });
}

export type SimulatedNode = Awaited<ReturnType<typeof openSimulatedNode>>;
