import type { RequestHandler, Router } from 'express';
import type { DestinationStream, Logger } from 'pino';
import type { Connection } from '../db/connection.ts';
import type { ResolveHost } from '../features/webhooks/sender.ts';
import type { Engines } from '../inference/engines.ts';
import type { InferencePool } from '../inference/port.ts';
import type { Clock, Random } from '../platform/ports.ts';

/** What a test may put in the place of the real thing. */
export interface ApiParts {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logDestination?: DestinationStream;
  /** Addresses of the names that webhooks have. */
  readonly resolveHost?: ResolveHost;
  /** The engines that are known and installed; those of the model bundle and the add-ons otherwise. */
  readonly engines?: Engines;
  readonly createInference?: (logger: Logger) => InferencePool;
  /** Sees every request first, to look at how it is answered. */
  readonly observe?: RequestHandler;
  /** Mounts routes beside the product's own, behind the same middleware, for what a benchmark compares them with. */
  readonly mount?: (router: Router, connection: Connection) => void;
}
