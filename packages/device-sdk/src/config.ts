import { FaceError, loadCore } from '@svc/core';
import { type Aead, createWasmAead } from '@svc/core/aead';
import type { Sha256Factory } from '@svc/core/pack';
import type { FaceEngine, PassiveLiveness } from '@svc/face-engine';
import { isSecret } from '@svc/protocol/sync';
import type { Clock, Random, Timers } from './platform/platform.ts';
import type { Transport } from './platform/transport.ts';
import type { KeyStore } from './storage/key-store.ts';
import type { PackStore } from './storage/pack-store.ts';
import { type Suitability, suitabilityOf } from './trust/admission.ts';
import { type Region, type ResolvedRegion, resolveRegion } from './trust/region.ts';

/** The platform's implementations of the ports. The stores and the transport have contract suites in `@svc/device-sdk/testing/contracts`. */
export interface DevicePorts {
  readonly keyStore: KeyStore;
  readonly packStore: PackStore;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly transport: Transport;
  /**
   * Opens records and check records. Default: the core's; without WebAssembly, that of `@svc/core/aead-noble`.
   */
  readonly aead?: Aead;
  /** The platform's incremental SHA-256, if any: a start and a sync hash the whole pack. Default @noble/hashes. */
  readonly sha256?: Sha256Factory;
}

/** The ports with the AEAD that is used. */
export type WholePorts = DevicePorts & Required<Pick<DevicePorts, 'aead'>>;

export interface DeviceSettings {
  /**
   * Whether to run the light challenge if the camera has a screen light (`Camera.light`). Default `off`;
   * docs/internals/light-challenge.md has its error rates.
   */
  readonly lightChallenge?: 'off' | 'when-possible' | undefined;
  /** Maximum size of a sync answer. Default 256 MiB, about 800,000 people. */
  readonly maxSyncBytes?: number | undefined;
  /** Timeout of each sync request with its answer, at most 2³¹ − 1. Default two minutes. */
  readonly syncTimeoutMs?: number | undefined;
}

export interface DeviceModels {
  /** Owned by the caller, who disposes it after the device. */
  readonly engine: FaceEngine;
  /**
   * The passive check; or the operator's declaration that staff watch every attempt: no passive check runs, and every
   * result reports this. Null if an adapter found no model: the device cannot be created.
   */
  readonly passiveLiveness: PassiveLiveness | 'absent-staff-in-view' | null;
}

export interface DeviceConfig extends DeviceSettings, DeviceModels {
  /** `svcd_…`, shown once when the device was added. */
  readonly deviceToken: string;
  readonly region: Region;
  readonly ports: DevicePorts;
  /** Called once at the end of `dispose`, for the builder of the parts. */
  readonly onDisposed?: () => Promise<void> | void;
}

const SYNC_DEFAULTS = { maxSyncBytes: 256 * 2 ** 20, syncTimeoutMs: 2 * 60_000 } as const;

/** Longer timers fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface CheckedConfig {
  readonly region: ResolvedRegion;
  readonly passiveLiveness: PassiveLiveness | null;
  readonly unattended: Suitability;
  readonly lightChallenge: 'off' | 'when-possible';
  readonly limits: { readonly maxBytes: number; readonly timeoutMs: number };
}

export const isDeviceToken = (token: unknown): boolean => typeof token === 'string' && isSecret('svcd', token);

/** Checks all settings but the token. @throws FaceError `configuration-invalid`, `passive-liveness-missing` */
export function checkConfig(config: DeviceConfig): CheckedConfig {
  const {
    passiveLiveness,
    lightChallenge = 'off',
    maxSyncBytes = SYNC_DEFAULTS.maxSyncBytes,
    syncTimeoutMs = SYNC_DEFAULTS.syncTimeoutMs,
  } = config;
  if (!isWithin(maxSyncBytes, Number.MAX_SAFE_INTEGER) || !isWithin(syncTimeoutMs, LONGEST_TIMER_MS)) {
    throw new FaceError('configuration-invalid', 'maxSyncBytes or syncTimeoutMs is no number above zero, or too large');
  }
  if (lightChallenge !== 'off' && lightChallenge !== 'when-possible') {
    throw new FaceError('configuration-invalid', 'lightChallenge is neither "off" nor "when-possible"');
  }
  const checked = checkedPassive(passiveLiveness);
  return {
    region: resolveRegion(config.region),
    passiveLiveness: checked,
    unattended: suitabilityOf(checked),
    lightChallenge,
    limits: { maxBytes: maxSyncBytes, timeoutMs: syncTimeoutMs },
  };
}

const isWithin = (value: unknown, limit: number): boolean => typeof value === 'number' && value > 0 && value <= limit;

function checkedPassive(passive: PassiveLiveness | 'absent-staff-in-view' | null | undefined): PassiveLiveness | null {
  if (passive === 'absent-staff-in-view') return null;
  if (typeof passive === 'object' && passive !== null && typeof passive.score === 'function') {
    // Scores are meaningless under another model's calibration.
    if (passive.calibration?.model === passive.name) return passive;
    throw new FaceError('configuration-invalid', 'the scores of this passive liveness model are not calibrated');
  }
  throw new FaceError(
    'passive-liveness-missing',
    'no passive liveness model; add it, or say that staff watch: passiveLiveness "absent-staff-in-view"',
  );
}

const opened = async () => createWasmAead(await loadCore());

/** The core's AEAD, loaded at the first call: a device whose core does not load still deletes what is due. */
export const coreAead: Aead = {
  name: 'wasm',
  seal: async (...message) => (await opened()).seal(...message),
  open: async (...message) => (await opened()).open(...message),
};
