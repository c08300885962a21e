import { setTimeout as pause } from 'node:timers/promises';
import { loadCore } from '@svc/core';
import { createWasmAead } from '@svc/core/aead';
import type { Logger } from 'pino';
import type { ApiConfig } from '../config/config.ts';
import { createAccountDeletion } from '../features/accounts/deletion.ts';
import { type AccountService, createAccountService } from '../features/accounts/service.ts';
import { createAccountStore } from '../features/accounts/store.ts';
import { createAdmissionService } from '../features/admissions/service.ts';
import { createAdmissionStore } from '../features/admissions/store.ts';
import { type AuditService, createAuditService } from '../features/audit/service.ts';
import { createAuditStore } from '../features/audit/store.ts';
import { createBrandService } from '../features/brand/service.ts';
import { createBrandStore } from '../features/brand/store.ts';
import { createConsentLedger } from '../features/consents/ledger.ts';
import { createConsentService } from '../features/consents/service.ts';
import { createConsentStore } from '../features/consents/store.ts';
import { createDeviceService } from '../features/devices/service.ts';
import { createDeviceStore } from '../features/devices/store.ts';
import { createEventService } from '../features/events/service.ts';
import { createEventStore } from '../features/events/store.ts';
import { createIdempotencyService } from '../features/idempotency/service.ts';
import { createIdempotencyStore } from '../features/idempotency/store.ts';
import { createListCountStore } from '../features/lists/count-store.ts';
import { createEpochService } from '../features/lists/epochs.ts';
import { createListService } from '../features/lists/service.ts';
import { createListStore } from '../features/lists/store.ts';
import { createMailingService } from '../features/mailings/service.ts';
import { createMailingStore } from '../features/mailings/store.ts';
import { createNoticeService } from '../features/notices/service.ts';
import { createNoticeStore } from '../features/notices/store.ts';
import { createPersonExpiry } from '../features/people/expiry.ts';
import { createExpiryStore } from '../features/people/expiry-store.ts';
import { createPersonStore } from '../features/people/store.ts';
import { createEraseAgain } from '../features/restore/erase-again.ts';
import { createRestoreService, type RestoreService } from '../features/restore/service.ts';
import { createRestoreStore } from '../features/restore/store.ts';
import { createFirstOwnerService } from '../features/sessions/first-owner.ts';
import { createOidcService } from '../features/sessions/oidc.ts';
import { createPasskeyService } from '../features/sessions/passkeys.ts';
import { createSessionService } from '../features/sessions/service.ts';
import { createSignInService } from '../features/sessions/sign-in.ts';
import { createSessionStore } from '../features/sessions/store.ts';
import { createTokenIssuer } from '../features/tokens/issuer.ts';
import { createEnrolmentLinkService } from '../features/tokens/links.ts';
import { createTokenService } from '../features/tokens/service.ts';
import { createLinkStore, createTokenStore } from '../features/tokens/store.ts';
import { createUsageService } from '../features/usage/service.ts';
import { createUsageStore } from '../features/usage/store.ts';
import { createUserService } from '../features/users/service.ts';
import { createUserStore } from '../features/users/store.ts';
import { createDeliveryStore } from '../features/webhooks/delivery-store.ts';
import { createOutbox } from '../features/webhooks/outbox.ts';
import type { Cleanup } from '../platform/cleanup.ts';
import { describeError } from '../platform/logger.ts';
import { createMailer } from '../platform/mail.ts';
import { type InstalledEngines, missingEngines, openEngines } from './engines.ts';
import { openFoundations } from './foundations.ts';
import type { ApiParts } from './parts.ts';

/** Services that the API and the command line share. */
export type Services = Awaited<ReturnType<typeof composeServices>>;

type Foundations = Awaited<ReturnType<typeof openFoundations>>;

/** The people of the dashboard: users, sessions, the ways to sign in, and the mailer. */
function composePeopleOfDashboard(
  held: Foundations & { readonly audit: AuditService; readonly accounts: AccountService },
  config: ApiConfig,
  logger: Logger,
  cleanup: Cleanup,
) {
  const { connection } = held.database;
  const mailer = createMailer(config.mail);
  cleanup.add(() => mailer?.close());
  const { dashboardUrl } = config;
  const onError = (error: unknown) => logger.error({ error: describeError(error) }, 'a mail was not sent');
  const userStore = createUserStore(connection);
  const common = {
    ...held,
    ...{ users: userStore, sessions: createSessionStore(connection), mailer, dashboardUrl, onError },
  };
  const sessionService = createSessionService(common);
  const hasOtherWays = mailer !== null || config.oidc !== null;
  const passkeys = createPasskeyService({ ...common, hasOtherWays });
  const signIn = createSignInService({ ...common, sessionService, passkeys });
  cleanup.add(() => signIn.close());
  const oidc = createOidcService({ ...common, config: config.oidc, sessionService });
  const firstOwner = createFirstOwnerService({ ...common, sessionService });
  const users = createUserService(common);
  const notices = createNoticeService({ ...common, store: createNoticeStore(connection), userStore });
  return { mailer, userStore, dashboardUrl, users, sessionService, passkeys, signIn, firstOwner, oidc, notices };
}

const REPLAY_AGAIN_MS = 1_000;
const TELLING_TRY = 120;

/** A promoted standby may lack the last erasures, as a backup does. Fails only when the node is closed. */
async function replayUntilDone(restore: RestoreService, logger: Logger, closed: AbortSignal): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      logger.info({ replayed: await restore.replay() }, 'what was erased lately is erased on the promoted server too');
      return;
    } catch (error) {
      const told = 'erasures are not repeated after a promotion: devices get no packs from this node until they are';
      if (tries === TELLING_TRY) logger.error({ error: describeError(error) }, told);
    }
    await pause(REPLAY_AGAIN_MS, undefined, { ref: false, signal: closed });
  }
}

/**
 * Opens database and keys and creates the services. Erases again what a restored backup brought back.
 * @param share use the embedded database of a running API
 * @param found the installed engines, where they were opened already
 */
export async function composeServices(
  config: ApiConfig,
  parts: ApiParts,
  share: boolean,
  logger: Logger,
  cleanup: Cleanup,
  found?: InstalledEngines,
) {
  const foundations = await openFoundations(config, parts, share, logger, cleanup);
  const { clock, database, keyRing } = foundations;
  const { connection } = database;
  const installed = found ?? (await openEngines(config, logger));
  const engines = parts.engines ?? installed.engines;
  const aead = createWasmAead(await loadCore());
  const listStore = createListStore(connection);
  const audit = createAuditService({ ...foundations, store: createAuditStore(connection) });
  const held = { ...foundations, engines, aead, listStore, audit };
  const epochs = createEpochService({ ...held, store: listStore });
  const usage = createUsageService({ ...held, store: createUsageStore(connection) });
  const eventStore = createEventStore(connection);
  const counts = createListCountStore(connection);
  const outbox = createOutbox({ ...held, deliveries: createDeliveryStore(connection) });
  const events = createEventService({ ...held, outbox, store: eventStore, counts });
  const consentStore = createConsentStore(connection);
  const consents = createConsentService({ ...held, store: consentStore });
  const ledger = createConsentLedger({ ...held, store: consentStore });
  const accountStore = createAccountStore(connection);
  const accounts = createAccountService({ ...held, store: accountStore });
  const peopleOfDashboard = composePeopleOfDashboard({ ...held, accounts }, config, logger, cleanup);
  const requests = createIdempotencyService({ ...held, store: createIdempotencyStore(connection) });
  const admissions = createAdmissionService({ ...held, store: createAdmissionStore(connection) });
  const told = { ...held, epochs, events, consents, outbox, requests, admissions };
  const { checkInOrigins } = config;
  const brandStore = createBrandStore(connection);
  const lists = createListService({ ...told, store: listStore, counts, brands: brandStore, checkInOrigins });
  const tokenStore = createTokenStore(connection);
  const issuer = createTokenIssuer({ ...told, store: tokenStore, widgetUrl: config.widget.url });
  const mail = parts.mail === undefined ? peopleOfDashboard.mailer : parts.mail;
  const mailingStore = createMailingStore(connection);
  const mailings = createMailingService({ ...told, store: mailingStore, tokenStore, issuer, canSend: mail !== null });
  const brands = createBrandService({ ...told, store: brandStore, eventStore, listStore, issuer });
  const linkStore = createLinkStore(connection);
  const tokens = createTokenService({ ...told, store: tokenStore, links: linkStore, mailings: mailingStore, issuer });
  const links = createEnrolmentLinkService({ ...told, store: linkStore, issuer, lists });
  const devices = createDeviceService({
    ...told,
    store: createDeviceStore(connection),
    lists,
    kioskUrl: config.kioskUrl,
  });
  const accountDeletion = createAccountDeletion({ ...told, store: accountStore, lists });
  const personStore = createPersonStore(connection);
  const personExpiry = createPersonExpiry({ ...told, store: createExpiryStore(connection) });
  const restoreStore = createRestoreStore(connection);
  const restore = createRestoreService({
    ...held,
    store: restoreStore,
    again: createEraseAgain({ ...told, mailings: mailingStore, store: restoreStore, people: personStore }),
    lists,
    accounts: accountDeletion,
    expiry: personExpiry,
    backupRetentionDays: config.backupRetentionDays,
  });
  await restore.attach({ acceptOldBackup: config.acceptOldBackup });
  await keyRing.verify();
  // Before anything is served: a restored backup must not bring anyone back.
  const replayed = await restore.replay();
  if (Object.values(replayed).some((count) => count > 0)) {
    logger.warn({ replayed }, 'the database was older than the key store: what was erased since is erased again');
  }
  const closed = new AbortController();
  cleanup.add(() => closed.abort());
  let replays = 0;
  foundations.whenMoved(() => {
    replays += 1;
    replayUntilDone(restore, logger, closed.signal).then(
      () => (replays -= 1),
      () => undefined,
    );
  });
  const missing = missingEngines(engines, await listStore.enginesInUse(new Date(clock.now())));
  if (missing.length > 0) {
    logger.warn({ missing }, 'lists take no enrolments on this node: the engines of their models are not installed');
  }
  return {
    ...foundations,
    ...{ accounts, accountDeletion, audit, usage, events, lists, listStore, epochs, engines, tokens, links, devices },
    brands,
    ...peopleOfDashboard,
    ...{ mail, mailings, mailingStore, linkStore, tokenStore, issuer },
    ...{ personStore, personExpiry, consents, ledger, requests, outbox, restore, admissions },
    isReplayed: () => replays === 0,
  };
}
