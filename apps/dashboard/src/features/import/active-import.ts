import { Listeners } from '@svc/page-kit';
import type { EnrolPersonRequest } from '@svc/protocol';
import { otherEndpoints } from '@svc/protocol/endpoints';
import { api } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { toBase64 } from '../../components/files.ts';
import type { FiledConsent } from './consent-file.ts';
import { type ImportState, newImport, type Outcome, resumedImport, runImport } from './import-machine.ts';
import { discardImport, type KeptImport, keepImport, keepRows, type StoredImport } from './import-store.ts';
import type { PlannedRow } from './plan-import.ts';

/** Clocks of a service's nodes are not set alike. */
const CLOCK_MS = 60_000;

/** The service's clock, to a second; that of this browser where the service does not answer. */
async function serviceTime(): Promise<number> {
  const answer = await fetch(otherEndpoints.getHealth.path, { cache: 'no-store' }).catch(() => null);
  const ms = Date.parse(answer?.headers.get('date') ?? '');
  return Number.isNaN(ms) ? Date.now() : ms;
}

/** What of a row lies on the organiser's machine. */
interface RowSource {
  readonly consent: FiledConsent;
  readonly photo: File;
}

/** Nothing more can be enrolled before somebody has done something about it. */
const BLOCKING = new Set([
  'plan-limit-reached',
  'no-plan',
  'list-ended',
  'enrolment-closed',
  'consent-version-mismatch',
  'camera-required',
  'insufficient-scope',
  'csrf-token-invalid',
  'reauthentication-required',
  'not-found',
  'account-suspended',
]);
/** An earlier request with the same key was carried out. */
const DONE = new Set(['answer-erased', 'idempotency-key-reused']);
const UNTIL_AGAIN_MS = 5_000;

function outcomeOf(row: number, error: unknown): Outcome {
  if (!(error instanceof ApiError)) return { type: 'lost', row, reason: 'internal-error' };
  const { code, o } = error;
  const untilMs = Date.now() + (o.retryAfterMs ?? UNTIL_AGAIN_MS);
  if (DONE.has(code)) return { type: 'done-before', row };
  if (code === 'request-in-flight') return { type: 'later', row, reason: code, untilMs };
  if (o.status === 401 || BLOCKING.has(code)) return { type: 'blocked', row, reason: code };
  if (o.status === 429 || o.status === 503) return { type: 'later', row, reason: code, untilMs };
  if (error.isTemporary || code === 'unrecognised-answer') return { type: 'lost', row, reason: code };
  return { type: 'refused', row, code };
}

/** An import of this page; it goes on while other pages of the dashboard are shown. */
export class ActiveImport {
  readonly kept: KeptImport;
  readonly #sources: Map<number, RowSource>;
  readonly #run: ReturnType<typeof runImport>;
  readonly #letGo: () => void;
  readonly #online = () => this.#goOn();

  /** @param letGo of the lock that keeps other tabs from importing into the list */
  constructor(kept: KeptImport, from: ImportState, sources: Map<number, RowSource>, letGo: () => void) {
    this.kept = kept;
    this.#sources = sources;
    this.#letGo = letGo;
    this.#run = runImport(from, {
      send: (row) => this.#send(row),
      look: (row) => this.#look(row),
      save: (rows) => keepRows(kept.listId, rows),
      discard: () => discardImport(kept.listId),
      now: () => Date.now(),
      wait: (untilMs, then) => setTimeout(then, Math.max(0, untilMs - Date.now()) + 10),
    });
    addEventListener('online', this.#online);
  }

  readonly state = (): ImportState => this.#run.state;
  readonly subscribe = (changed: () => void): (() => void) => this.#run.subscribe(changed);

  /** Null: not on this machine any more. */
  photoOf(row: number): File | null {
    return this.#sources.get(row)?.photo ?? null;
  }

  start(): void {
    this.#run.dispatch({ type: 'start' });
  }

  pause(): void {
    this.#run.dispatch({ type: 'pause' });
  }

  retry(row: number, photo: File): void {
    const source = this.#sources.get(row);
    if (source === undefined) return;
    this.#sources.set(row, { ...source, photo });
    this.#run.dispatch({ type: 'retry', row });
  }

  /** Stops for good on this page. */
  end(): void {
    removeEventListener('online', this.#online);
    this.#run.dispose();
    this.#letGo();
  }

  #goOn(): void {
    const { phase } = this.state();
    if (phase.name === 'waiting' && phase.reason === 'no-connection') {
      this.#run.dispatch({ type: 'time', nowMs: Number.POSITIVE_INFINITY });
    }
  }

  async #send(row: number): Promise<Outcome> {
    const source = this.#sources.get(row);
    const { importId, listId, personIds } = this.kept;
    const personId = personIds[row];
    if (source === undefined || personId === undefined) return { type: 'refused', row, code: 'photo-gone' };
    const imageBase64 = await toBase64(source.photo).catch(() => null);
    if (imageBase64 === null) return { type: 'refused', row, code: 'photo-unreadable' };
    const body: EnrolPersonRequest = { personId, consent: source.consent, imageBase64, photoSource: 'file' };
    try {
      const given = { params: { listId }, body, idempotencyKey: `${importId}-${row}` };
      const { deleteAfter } = await api.call('enrolPerson', given);
      return { type: 'enrolled', row, deleteAfter };
    } catch (error) {
      return outcomeOf(row, error);
    }
  }

  async #look(row: number): Promise<Outcome | { type: 'looked'; row: number; found: boolean }> {
    const { listId, startedAtMs, personIds } = this.kept;
    const personId = personIds[row] ?? '';
    const isOurs = (at: string) => Date.parse(at) >= startedAtMs - CLOCK_MS;
    try {
      const { items } = await api.call('listConsents', { query: { listId, personId, limit: 200 } });
      const found = items.some(({ kind, recordedAt }) => kind === 'given' && isOurs(recordedAt));
      return { type: 'looked', row, found };
    } catch (error) {
      const outcome = outcomeOf(row, error);
      if (outcome.type !== 'refused' && outcome.type !== 'done-before') return outcome;
      return { type: 'blocked', row, reason: error instanceof ApiError ? error.code : 'internal-error' };
    }
  }
}

const active = new Map<string, ActiveImport>();
const changed = new Listeners<void>();

/** The running import of a list on this page; null for none. */
export const activeImport = (listId: string): ActiveImport | null => active.get(listId) ?? null;

/** Called when imports begin or end. */
export const watchImports = (listener: () => void): (() => void) => changed.add(listener);

/** Holds a list's import for this page. @returns null while another tab has it */
function hold(listId: string): Promise<(() => void) | null> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(`svcd-import-${listId}`, { ifAvailable: true }, (lock) => {
        if (lock === null) return resolve(null);
        return new Promise<void>((letGo) => resolve(letGo));
      })
      .catch(reject);
  });
}

export interface ImportTerms extends Pick<KeptImport, 'listId' | 'accountId' | 'discardAtMs' | 'folder'> {
  readonly ready: readonly PlannedRow[];
  readonly files: ReadonlyMap<string, File>;
  /** An import that is gone on with, with the photos of the folder that was chosen again. Null: a new one. */
  readonly stored: StoredImport | null;
}

/**
 * Begins an import, once all of its names are kept, or goes on with one.
 * @returns false while another tab imports into the list
 * @throws DOMException when nothing can be kept
 */
export async function beginImport({ ready, files, stored, ...terms }: ImportTerms): Promise<boolean> {
  const personIds = stored?.kept.personIds ?? ready.map(({ personId }) => personId);
  const begin = async () => ({
    ...{ ...terms, personIds },
    ...{ importId: crypto.randomUUID(), startedAtMs: await serviceTime() },
  });
  const kept = stored?.kept ?? (await begin());
  const letGo = await hold(kept.listId);
  if (letGo === null) return false;
  try {
    if (stored === null) await keepImport(kept);
  } catch (error) {
    letGo();
    throw error;
  }
  const planned = new Map(ready.map((row) => [row.personId, row]));
  const sources = personIds.flatMap((personId, row) => {
    const plan = planned.get(personId);
    const photo = files.get(plan?.path ?? '');
    return plan === undefined || photo === undefined ? [] : [[row, { consent: plan.consent, photo }] as const];
  });
  const from = stored === null ? newImport(personIds.length) : resumedImport(stored.rows);
  const made = new ActiveImport(kept, from, new Map(sources), letGo);
  active.set(kept.listId, made);
  changed.tell();
  made.start();
  return true;
}

export async function closeImport(listId: string): Promise<void> {
  active.get(listId)?.end();
  active.delete(listId);
  await discardImport(listId);
  changed.tell();
}

// Something would stop with this page.
addEventListener('beforeunload', (event) => {
  const names = [...active.values()].map(({ state }) => state().phase.name);
  if (names.includes('running') || names.includes('waiting')) event.preventDefault();
});
