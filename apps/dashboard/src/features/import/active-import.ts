import { attemptSoon, Listeners, newUuid } from '@svc/page-kit';
import type { EnrolPersonRequest } from '@svc/protocol';
import { otherEndpoints } from '@svc/protocol/endpoints';
import { api } from '../../api/client.ts';
import { ApiError, importReason } from '../../api/errors.ts';
import { onForgotten } from '../../api/kept.ts';
import type { FiledConsent } from './consent-file.ts';
import { ImportRun, newRows, type Outcome, type RowState } from './import-run.ts';
import { discardImport, type KeptImport, keepImport, keepRow, type StoredImport } from './import-store.ts';
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
const LOCK_MS = 8_000;

function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof ApiError)) return { state: 'lost', reason: 'internal-error' };
  const { code, o } = error;
  const later = { state: 'later', reason: code, untilMs: Date.now() + (o.retryAfterMs ?? UNTIL_AGAIN_MS) } as const;
  if (DONE.has(code)) return { state: 'done', deleteAfter: null };
  if (code === 'request-in-flight') return later;
  if (o.status === 401 || BLOCKING.has(code)) return { state: 'blocked', reason: code };
  if (o.status === 429 || o.status === 503) return later;
  if (error.isTemporary || code === 'unrecognised-answer') return { state: 'lost', reason: code };
  return { state: 'refused', code: importReason(code, o.problem?.reason) };
}

/** An import of this page; it goes on while other pages of the dashboard are shown. */
export class ActiveImport extends ImportRun {
  readonly kept: KeptImport;
  readonly #sources: Map<number, RowSource>;
  readonly #letGo: () => void;
  readonly #online = () => {
    const { phase } = this.state();
    if (phase.name === 'waiting' && phase.reason === 'no-connection') this.wakeUp(Number.POSITIVE_INFINITY);
  };

  /** @param letGo of the lock that keeps other tabs from importing into the list */
  constructor(kept: KeptImport, rows: readonly RowState[], sources: Map<number, RowSource>, letGo: () => void) {
    super(rows, {
      send: (row) => send(kept, row, sources.get(row)),
      look: (row) => look(kept, row),
      save: (row, state) => keepRow(kept.listId, row, state),
      discard: () => discardImport(kept.listId),
      now: () => Date.now(),
      wait: (untilMs, then) => setTimeout(then, Math.max(0, untilMs - Date.now()) + 10),
    });
    this.kept = kept;
    this.#sources = sources;
    this.#letGo = letGo;
    addEventListener('online', this.#online);
  }

  /** Null: not on this machine any more. */
  photoOf(row: number): File | null {
    return this.#sources.get(row)?.photo ?? null;
  }

  retryWith(row: number, photo: File): void {
    const source = this.#sources.get(row);
    if (source === undefined) return;
    this.#sources.set(row, { ...source, photo });
    this.retry(row);
  }

  /** Stops for good on this page. */
  override dispose(): void {
    super.dispose();
    removeEventListener('online', this.#online);
    this.#letGo();
  }
}

async function send(kept: KeptImport, row: number, source: RowSource | undefined): Promise<Outcome> {
  const { importId, listId, personIds } = kept;
  const personId = personIds[row];
  if (source === undefined || personId === undefined) return { state: 'refused', code: 'photo-gone' };
  // A request whose file is gone fails as one without a connection does.
  const photo = await source.photo.arrayBuffer().catch(() => null);
  if (photo === null) return { state: 'refused', code: 'photo-unreadable' };
  const person: Omit<EnrolPersonRequest, 'imageBase64'> = { personId, consent: source.consent, photoSource: 'file' };
  const body = new FormData();
  body.set('person', JSON.stringify(person));
  body.set('photo', new Blob([photo]));
  try {
    // Not the key of earlier versions, which sent JSON: the same row as a form is another request to the service.
    const given = { params: { listId }, body, idempotencyKey: `${importId}-${row}-form` };
    const { deleteAfter } = await api.call('enrolPerson', given);
    return { state: 'done', deleteAfter };
  } catch (error) {
    return outcomeOf(error);
  }
}

async function look({ listId, startedAtMs, personIds }: KeptImport, row: number): Promise<boolean | Outcome> {
  const personId = personIds[row] ?? '';
  const isOurs = (at: string) => Date.parse(at) >= startedAtMs - CLOCK_MS;
  try {
    const { items } = await api.call('listConsents', { query: { listId, personId, limit: 200 } });
    return items.some(({ kind, recordedAt }) => kind === 'given' && isOurs(recordedAt));
  } catch (error) {
    const outcome = outcomeOf(error);
    if (outcome.state !== 'refused' && outcome.state !== 'done') return outcome;
    return { state: 'blocked', reason: error instanceof ApiError ? error.code : 'internal-error' };
  }
}

const active = new Map<string, ActiveImport>();
const changed = new Listeners<void>();

/** The running import of a list on this page; null for none. */
export const activeImport = (listId: string): ActiveImport | null => active.get(listId) ?? null;

/** Called when imports begin or end. */
export const watchImports = (listener: () => void): (() => void) => changed.add(listener);

type Lock = (() => void) | 'unknown' | null;

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

export interface ImportTerms extends Pick<KeptImport, 'listId' | 'userId' | 'discardAtMs' | 'folder'> {
  readonly ready: readonly PlannedRow[];
  readonly files: ReadonlyMap<string, File>;
  /** An import that is gone on with, with the photos of the folder that was chosen again. Null: a new one. */
  readonly stored: StoredImport | null;
}

/**
 * Begins an import, once all of its names are kept, or goes on with one.
 * @returns false while another tab imports into the list
 * @throws DOMException when nothing can be kept or locked
 */
export async function beginImport({ ready, files, stored, ...terms }: ImportTerms): Promise<boolean> {
  const personIds = stored?.kept.personIds ?? ready.map(({ personId }) => personId);
  const begin = async () => ({
    ...{ ...terms, personIds },
    ...{ importId: newUuid(), startedAtMs: await serviceTime() },
  });
  const kept = stored?.kept ?? (await begin());
  const tooLate = (lock: Lock) => typeof lock === 'function' && lock();
  const letGo = await attemptSoon<Lock>(() => hold(kept.listId), 'unknown', LOCK_MS, tooLate);
  if (letGo === 'unknown') throw new DOMException('the browser locks nothing', 'NotSupportedError');
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
  const made = new ActiveImport(kept, stored?.rows ?? newRows(personIds.length), new Map(sources), letGo);
  active.set(kept.listId, made);
  changed.tell();
  made.start();
  return true;
}

export async function closeImport(listId: string): Promise<void> {
  active.get(listId)?.dispose();
  active.delete(listId);
  await discardImport(listId);
  changed.tell();
}

// Who is signed in next does not go on with it.
onForgotten(() => {
  for (const each of active.values()) each.dispose();
  active.clear();
  changed.tell();
});

// Something would stop with this page.
addEventListener('beforeunload', (event) => {
  const names = [...active.values()].map(({ state }) => state().phase.name);
  if (names.includes('running') || names.includes('waiting')) event.preventDefault();
});
