/** A statement that asks every node, because its account is not known yet or it is about all accounts. It only reads. */
export interface AskedEverywhere {
  /** The store's function, as in `Site`. */
  readonly name: string;
  readonly when: string;
  /** What each shard does for it. */
  readonly cost: string;
}

const byHash = (index: string) => `one look-up a hash in \`${index}\``;
const byTime = (index: string) => `rows that are due, by \`${index}\``;

/** Look-ups by something secret, or by an address: the account is what they find out. */
const BY_CREDENTIAL: readonly AskedEverywhere[] = [
  {
    name: 'accounts/store.findByKeys',
    when: 'each request with an API key, those of one moment together',
    cost: byHash('api_keys_by_hash'),
  },
  {
    name: 'sessions/store.findBySecrets',
    when: 'each request of the dashboard, those of one moment together',
    cost: byHash('user_sessions_by_hash'),
  },
  {
    name: 'sync/store.findDevices',
    when: 'each request of a device, those of one moment together',
    cost: byHash('devices_by_token'),
  },
  {
    name: 'sync/store.findTombstone',
    when: 'each request with a device’s token that no device has',
    cost: byHash('wipe_tombstones_by_token'),
  },
  {
    name: 'widget/store.findGuests',
    when: 'each request of a guest, those of one moment together',
    cost: byHash('enrolment_tokens_by_hash'),
  },
  {
    name: 'widget/store.findPreviews',
    when: 'each request with an enrolment token that no guest has',
    cost: byHash('widget_previews_by_hash'),
  },
  { name: 'users/store.takeLink', when: 'a link that signs in', cost: byHash('user_links_by_hash') },
  {
    name: 'users/store.enabledWithEmail',
    when: 'a sign-in by mail or a provider',
    cost: 'one look-up in `users_by_email`',
  },
  {
    name: 'sessions/store.findPasskeys',
    when: 'a sign-in with a passkey',
    cost: byHash('user_passkeys_by_credential'),
  },
];

/** Work of the deployment: finds which accounts have something due; what is due changes account by account. */
const OF_JOBS: readonly AskedEverywhere[] = [
  {
    name: 'webhooks/dispatch-store.claim',
    when: 'twice a second, and after deliveries',
    cost: 'for each account a probe of `webhook_deliveries_due`',
  },
  {
    name: 'mailings/store.claim',
    when: 'while mailings are sent, and every few seconds',
    cost: 'for each account a probe of `mailing_recipients_due`',
  },
  { name: 'lists/store.pastDeadline', when: 'every minute', cost: byTime('lists_by_deadline') },
  { name: 'people/expiry-store.listsWithExpired', when: 'every minute', cost: byTime('people_by_delete_after') },
  { name: 'lists/store.withEmptyEpochs', when: 'every 5 minutes', cost: 'each epoch, and one probe of its faces' },
  { name: 'accounts/store.inDeletion', when: 'every 5 minutes', cost: 'each account' },
  { name: 'lists/store.inDeletion', when: 'every 5 minutes', cost: byTime('lists_being_deleted') },
  { name: 'tokens/store.forgetTickets', when: 'every 10 minutes', cost: 'each enrolment token' },
  { name: 'tokens/store.removeExpired', when: 'every 10 minutes', cost: byTime('enrolment_tokens_by_expiry') },
  {
    name: 'mailings/store.forgetOver',
    when: 'every 10 minutes',
    cost: 'each event that is over, its list and recipients',
  },
  { name: 'brand/store.removeExpiredPreviews', when: 'every 10 minutes', cost: byTime('widget_previews_by_expiry') },
  { name: 'sessions/store.removeOver', when: 'every 10 minutes', cost: byTime('user_sessions_by_expiry') },
  { name: 'users/store.removeExpiredLinks', when: 'every 10 minutes', cost: byTime('user_links_by_expiry') },
  { name: 'retention/store.deleteRemovals', when: 'every hour', cost: byTime('face_removals_by_age') },
  { name: 'retention/store.deleteTombstones', when: 'every hour', cost: byTime('wipe_tombstones_by_expiry') },
  { name: 'retention/store.deleteRevokedDevices', when: 'every hour', cost: byTime('devices_by_revocation') },
  { name: 'webhooks/delivery-store.deleteOlder', when: 'every hour', cost: byTime('webhook_deliveries_by_age') },
  { name: 'webhooks/store.dropFormerSecrets', when: 'every hour', cost: 'each webhook' },
  { name: 'idempotency/store.purge', when: 'every hour', cost: byTime('idempotent_requests_by_expiry') },
  { name: 'consents/store.evidenceRetention', when: 'every hour', cost: 'each account' },
];

/** The start of a node, and what an operator asks. */
const OF_OPERATORS: readonly AskedEverywhere[] = [
  { name: 'lists/store.enginesInUse', when: 'the start of a node, `svc doctor`', cost: 'each list' },
  { name: 'users/store.hasAny', when: 'the start of a node', cost: 'one row' },
  { name: 'accounts/store.all', when: '`svc accounts list`', cost: 'each account' },
  { name: 'devices/store.count', when: '`svc signing-key`', cost: 'each device' },
  { name: 'restore/store.listEpochs', when: 'the start on a restored backup', cost: 'each list' },
];

/** All of them: the check of the statements fails for any other, and for one that is not sent any more. */
export const ASKED_EVERYWHERE = [...BY_CREDENTIAL, ...OF_JOBS, ...OF_OPERATORS];

const tableOf = (title: string, all: readonly AskedEverywhere[]): string =>
  [
    `| ${title} | When | Each shard reads |`,
    '|---|---|---|',
    ...all.map(({ name, when, cost }) => `| \`${name}\` | ${when} | ${cost} |`),
  ].join('\n');

/** The part of docs/operations.md between its two comments. */
export const renderAskedEverywhere = (): string =>
  [
    tableOf('Looked up by a credential', BY_CREDENTIAL),
    tableOf('Work of the deployment', OF_JOBS),
    tableOf('Start and operators', OF_OPERATORS),
  ].join('\n\n');
