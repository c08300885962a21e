import { FULL_WIPE_MS } from '@svc/protocol';
import type { ApiConfig } from '../config/config.ts';
import { openKeyStorage } from '../crypto/key-storage.ts';
import { readSigningRecord, replaceSigningRecord, requireCurrent, type SigningRecord } from '../crypto/signing.ts';
import { SigningKeyError, signingKeyIdOf, signingSource } from '../crypto/signing-key.ts';
import { type AuditAction, createAuditService, operator } from '../features/audit/service.ts';
import { createAuditStore } from '../features/audit/store.ts';
import { type Awareness, createAwarenessStore } from '../features/devices/store.ts';
import { type Cleanup, openWith } from '../platform/cleanup.ts';
import { type Clock, createIds, systemRandom } from '../platform/ports.ts';
import { keyStorageTarget, openMain } from './targets.ts';

export interface SigningKeyStatus {
  readonly keyId: string;
  /** Raw, base64url. */
  readonly publicKey: string;
  readonly role: 'signs' | 'next' | 'former';
  readonly announcedAt: Date;
  /** Whether its private key is configured here. */
  readonly atHand: boolean;
}

export interface SigningStatus {
  readonly keys: readonly SigningKeyStatus[];
  /** Number of active devices, and how many of them do not know the newest key yet. */
  readonly devices: Awareness;
}

/** Operations on signing keys. Running nodes apply a change within seconds. */
export type SigningAdmin = Awaited<ReturnType<typeof openSigningAdmin>>;

/** After this time every running node includes an announcement in its answers. */
const ANNOUNCED_MS = 60_000;

/**
 * Opens a deployment without requiring the signing key that devices trust, as that may be the problem to fix. The
 * caller closes it.
 */
export function openSigningAdmin(
  config: ApiConfig,
  { clock = { now: () => Date.now() } }: { readonly clock?: Clock } = {},
) {
  return openWith((cleanup) => open(config, clock, cleanup));
}

async function open(config: ApiConfig, clock: Clock, cleanup: Cleanup) {
  const main = await openMain(config, cleanup);
  const { database } = main;
  const { connection } = database;
  const storage = await openKeyStorage(keyStorageTarget(config), systemRandom);
  cleanup.add(() => storage.close());
  const audit = createAuditService({
    store: createAuditStore(connection),
    ids: createIds(clock, systemRandom),
    clock,
  });
  const awareness = createAwarenessStore(connection);
  const source = signingSource(config);
  const now = () => new Date(clock.now());

  async function record(): Promise<SigningRecord> {
    const known = await readSigningRecord(storage.signing);
    if (known !== null) return known;
    throw new SigningKeyError('nothing has been started yet: the first start creates the signing key');
  }

  async function change(from: SigningRecord, to: SigningRecord, action: AuditAction): Promise<void> {
    await replaceSigningRecord(storage.signing, from, to);
    const target = signingKeyIdOf(to.keys.at(-1)?.publicKey ?? to.current);
    await audit.record(null, { accountId: null, actor: operator(), action, target });
  }

  async function status(): Promise<SigningStatus> {
    const { current, keys } = await record();
    const here = (await source.read()).map(({ publicKey }) => publicKey);
    const at = keys.findIndex(({ publicKey }) => publicKey === current);
    const newest = new Date(keys.at(-1)?.announcedAt ?? 0).getTime();
    const [since, aliveAfter] = [new Date(newest + ANNOUNCED_MS), new Date(clock.now() - FULL_WIPE_MS)];
    return {
      keys: keys.map(({ publicKey, announcedAt }, i) => ({
        keyId: signingKeyIdOf(publicKey),
        publicKey,
        role: i === at ? 'signs' : i > at ? 'next' : 'former',
        announcedAt: new Date(announcedAt),
        atHand: here.includes(publicKey),
      })),
      devices: await awareness.count(since, aliveAfter, now()),
    };
  }

  return {
    status,
    /**
     * Creates the next key and announces it to devices; with `lost`, a replacement for a lost key, after which every
     * device must be paired or configured again.
     * @returns `value`: to append to SVC_SIGNING_KEY or the file of signing keys of every node; null when the file here
     * has the key already
     */
    async create({ lost }: { readonly lost: boolean }) {
      const known = await record();
      if (!lost) requireCurrent(known, await source.read());
      if (!lost && known.keys.length > 1) {
        throw new SigningKeyError(
          'two signing keys are already announced to devices: first rotate to the next one, or retire the former one',
        );
      }
      const { key, value } = await source.append();
      const made = { publicKey: key.publicKey, announcedAt: now().toISOString() };
      const next = lost ? { current: key.publicKey, keys: [made] } : { ...known, keys: [...known.keys, made] };
      await change(known, next, 'signing-key.create');
      return { status: await status(), value };
    },
    /** Starts signing with the next key. @param o.force even if some devices do not know it @throws SigningKeyError */
    async rotate({ force }: { readonly force: boolean }) {
      const known = await record();
      const { keys, devices } = await status();
      const next = keys.find(({ role }) => role === 'next');
      if (next === undefined) throw new SigningKeyError('there is no next signing key: svc signing-key create');
      if (!next.atHand) {
        throw new SigningKeyError(
          `the next signing key, ${next.keyId}, is not configured here: first put it on every node`,
        );
      }
      if (devices.unaware > 0 && !force) {
        throw new SigningKeyError(
          `${devices.unaware} of ${devices.devices} devices do not know ${next.keyId} yet and would refuse their syncs: wait, at most 30 days, or use --force`,
        );
      }
      await change(known, { ...known, current: next.publicKey }, 'signing-key.rotate');
      return status();
    },
    /** Stops announcing the former key: after their next sync devices reject what it signed. @throws SigningKeyError */
    async retire() {
      const known = await record();
      const kept = known.keys.filter(({ publicKey }) => publicKey === known.current);
      if (kept.length === known.keys.length || known.keys.at(-1)?.publicKey !== known.current) {
        throw new SigningKeyError('there is no former signing key');
      }
      requireCurrent(known, await source.read());
      await change(known, { ...known, keys: kept }, 'signing-key.retire');
      await source.keep(kept.map(({ publicKey }) => publicKey));
      return status();
    },
    close: () => cleanup.run(),
  };
}
