import type { ApiConfig } from '../config/config.ts';
import { operator } from '../features/audit/service.ts';
import type { MovedKeys } from '../features/restore/move.ts';
import { Cleanup, openWith } from '../platform/cleanup.ts';
import { createLogger } from '../platform/logger.ts';
import { systemRandom } from '../platform/ports.ts';
import { composeWebhooks } from './background.ts';
import type { ApiParts } from './parts.ts';
import { composeServices } from './services.ts';
import { keyStorageTarget, moveOutOfMain, openMain } from './targets.ts';

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

/**
 * Moves keys and erasure memory from the main database, the default of an earlier version, to the configured place. No
 * node may run meanwhile; after an interruption call it again. The audit log names the current OS user.
 * @throws KeyStoreError when there is nothing to move, or the target belongs to another deployment
 */
export async function moveKeys(config: ApiConfig): Promise<MovedKeys> {
  const cleanup = new Cleanup();
  try {
    return await moveOutOfMain({
      ...(await openMain(config, cleanup)),
      ...{ actor: operator(), random: systemRandom },
      place: keyStorageTarget(config),
      clock: { now: () => Date.now() },
    });
  } finally {
    await cleanup.run();
  }
}
