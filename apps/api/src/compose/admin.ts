import type { ApiConfig } from '../config/config.ts';
import { openWith } from '../platform/cleanup.ts';
import { createLogger } from '../platform/logger.ts';
import { composeWebhooks } from './background.ts';
import type { ApiParts } from './parts.ts';
import { composeServices } from './services.ts';

/** Opens the services without HTTP, for the command line. Shares a running API's embedded database. */
export function composeAdmin(config: ApiConfig, parts: ApiParts = {}) {
  return openWith(async (cleanup) => {
    const services = await composeServices(config, parts, true, createLogger('silent'), cleanup);
    // Webhooks are delivered by nodes of the API only, not by short-lived commands.
    const background = { ...config.background, jobs: false };
    const webhooks = composeWebhooks({ ...services, config: background, onError: () => undefined }, cleanup);
    return { ...services, webhooks, close: () => cleanup.run() };
  });
}
