import type { RequestHandler, Router } from 'express';
import type { DestinationStream, Logger } from 'pino';
import type { Connection } from '../db/connection.ts';
import type { MailTransport } from '../features/mailings/sender.ts';
import type { ResolveHost } from '../features/webhooks/sender.ts';
import type { Engines } from '../inference/engines.ts';
import type { InferencePool } from '../inference/port.ts';
import type { Clock, Random } from '../platform/ports.ts';

/** Parts that a test may replace. */
export interface ApiParts {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logDestination?: DestinationStream;
  /** Resolves the host names of webhooks. */
  readonly resolveHost?: ResolveHost;
  /** Known and installed engines; by default those of the model bundle and the add-ons. */
  readonly engines?: Engines;
  /** Sends guest links instead of the configured mail server; null: the deployment sends none. */
  readonly mail?: MailTransport | null;
  readonly createInference?: (logger: Logger) => InferencePool;
  /** Called first for every request, to observe its answer. */
  readonly observe?: RequestHandler;
  /** Mounts additional routes behind the same middleware, as a baseline for benchmarks. */
  readonly mount?: (router: Router, connection: Connection) => void;
}
