import type { EnrolPersonRequest } from '@svc/protocol';
import { otherEndpoints } from '@svc/protocol/endpoints';
import type { Api } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { toBase64 } from '../../components/files.ts';
import type { FiledConsent } from './consent-file.ts';
import {
  type ImportState,
  newImport,
  type Outcome,
  type RowState,
  resumedImport,
  runImport,
} from './import-machine.ts';
import { discardImport, type KeptImport, keepImport, keepRows } from './import-store.ts';
import type { PlannedRow } from './plan-import.ts';

/** Clocks of a service's nodes are not set alike. */
const CLOCK_MS = 60_000;

/** The service's clock, to a second; that of this browser where the service does not answer. */
async function serviceTime(): Promise<number> {
  try {
    const { headers } = await fetch(otherEndpoints.getHealth.path, { cache: 'no-store' });
    const ms = Date.parse(headers.get('date') ?? '');
    return Number.isNaN(ms) ? Date.now() : ms;
  } catch {
    return Date.now();
  }
}

/** What of a row lies on the organiser's machine. */
export interface RowSource {
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

/** What an error of the client means for a row. @param nowMs of this browser */
export function outcomeOf(row: number, error: unknown, nowMs: number): Outcome {
  if (!(error instanceof ApiError)) return { type: 'lost', row, reason: 'internal-error' };
  const { code, o } = error;
  const untilMs = nowMs + (o.retryAfterMs ?? UNTIL_AGAIN_MS);
  if (DONE.has(code)) return { type: 'done-before', row };
  if (code === 'request-in-flight') return { type: 'later', row, reason: code, untilMs };
  if (o.status === 401 || BLOCKING.has(code)) return { type: 'blocked', row, reason: code };
  if (o.status === 429 || o.status === 503) return { type: 'later', row, reason: code, untilMs };
  if (error.isTemporary || code === 'unrecognised-answer') return { type: 'lost', row, reason: code };
  const { measured, limit } = o.problem ?? {};
  return {
    type: 'refused',
    row,
    code,
    ...(measured === undefined ? {} : { measured }),
    ...(limit === undefined ? {} : { limit }),
  };
}

/** An import of this page; it goes on while other pages of the dashboard are shown. */
export class ActiveImport {
  readonly #sources = new Map<number, RowSource>();
  readonly #run: ReturnType<typeof runImport>;
  readonly #letGo: () => void;
  readonly #online = () => this.#goOn();

  constructor(
    readonly kept: KeptImport,
    from: ImportState,
    readonly api: Api,
    letGo: () => void,
  ) {
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

  get state(): ImportState {
    return this.#run.state;
  }

  readonly subscribe = (changed: () => void): (() => void) => this.#run.subscribe(changed);
  readonly snapshot = (): ImportState => this.#run.state;

  sourceOf(row: number): RowSource | null {
    return this.#sources.get(row) ?? null;
  }

  setSources(sources: ReadonlyMap<number, RowSource>): void {
    for (const [row, source] of sources) this.#sources.set(row, source);
  }

  start(): void {
    this.#run.dispatch({ type: 'start' });
  }

  pause(): void {
    this.#run.dispatch({ type: 'pause' });
  }

  /** Sends a refused row again, with another photo. */
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
    const { phase } = this.state;
    if (phase.name === 'waiting' && phase.reason === 'no-connection') {
      this.#run.dispatch({ type: 'time', nowMs: Number.POSITIVE_INFINITY });
    }
  }

  async #send(row: number): Promise<Outcome> {
    const source = this.#sources.get(row);
    const personId = this.kept.personIds[row];
    if (source === undefined || personId === undefined) return { type: 'refused', row, code: 'photo-gone' };
    let imageBase64: string;
    try {
      imageBase64 = await toBase64(source.photo);
    } catch {
      return { type: 'refused', row, code: 'photo-unreadable' };
    }
    const body: EnrolPersonRequest = { personId, consent: source.consent, imageBase64, photoSource: 'file' };
    const idempotencyKey = `${this.kept.importId}-${row}`;
    try {
      const params = { listId: this.kept.listId };
      const { deleteAfter } = await this.api.call('enrolPerson', { params, body, idempotencyKey });
      return { type: 'enrolled', row, deleteAfter };
    } catch (error) {
      return outcomeOf(row, error, Date.now());
    }
  }

  async #look(
    row: number,
  ): Promise<Outcome | { readonly type: 'looked'; readonly row: number; readonly found: boolean }> {
    const { listId, startedAtMs, personIds } = this.kept;
    const personId = personIds[row] ?? '';
    try {
      const { items } = await this.api.call('listConsents', { query: { listId, personId, limit: 200 } });
      const isOurs = (at: string) => Date.parse(at) >= startedAtMs - CLOCK_MS;
      return {
        type: 'looked',
        row,
        found: items.some(({ kind, recordedAt }) => kind === 'given' && isOurs(recordedAt)),
      };
    } catch (error) {
      const outcome = outcomeOf(row, error, Date.now());
      if (outcome.type === 'refused' || outcome.type === 'done-before') {
        return {
          type: 'blocked',
          row,
          reason: error instanceof ApiError ? error.code : 'internal-error',
        };
      }
      return outcome;
    }
  }
}

const active = new Map<string, ActiveImport>();
const listeners = new Set<() => void>();

/** The running import of a list on this page; null for none. */
export const activeImport = (listId: string): ActiveImport | null => active.get(listId) ?? null;

/** Called when imports begin or end. */
export function watchImports(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

function tell(): void {
  for (const changed of listeners) changed();
}

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

async function activate(
  kept: KeptImport,
  rows: readonly RowState[] | null,
  sources: ReadonlyMap<number, RowSource>,
  api: Api,
) {
  const letGo = await hold(kept.listId);
  if (letGo === null) return null;
  try {
    if (rows === null) await keepImport(kept);
  } catch (error) {
    letGo();
    throw error;
  }
  const made = new ActiveImport(
    kept,
    rows === null ? newImport(kept.personIds.length) : resumedImport(rows),
    api,
    letGo,
  );
  made.setSources(sources);
  active.set(kept.listId, made);
  tell();
  made.start();
  return made;
}

function sourcesOf(
  personIds: readonly string[],
  ready: readonly PlannedRow[],
  files: ReadonlyMap<string, File>,
): ReadonlyMap<number, RowSource> {
  const planned = new Map(ready.map((row) => [row.personId, row]));
  return new Map(
    personIds.flatMap((personId, row) => {
      const plan = planned.get(personId);
      const photo = plan === undefined ? undefined : files.get(plan.path);
      return plan === undefined || photo === undefined ? [] : [[row, { consent: plan.consent, photo }] as const];
    }),
  );
}

export interface ImportTerms {
  readonly listId: string;
  readonly accountId: string;
  readonly discardAtMs: number;
  readonly ready: readonly PlannedRow[];
  readonly files: ReadonlyMap<string, File>;
  readonly folder: FileSystemDirectoryHandle | null;
}

/**
 * Begins an import, once all of its names are kept.
 * @returns null while another tab imports into the list
 * @throws DOMException when nothing can be kept
 */
export async function beginImport(terms: ImportTerms, api: Api): Promise<ActiveImport | null> {
  const { ready, files, ...kept } = terms;
  const personIds = ready.map(({ personId }) => personId);
  const begun = { ...kept, personIds, importId: crypto.randomUUID(), startedAtMs: await serviceTime() };
  return activate(begun, null, sourcesOf(personIds, ready, files), api);
}

/** Goes on with a kept import, with the photos of the folder that was chosen again. @returns as {@link beginImport} */
export function resumeImport(
  { kept, rows }: { readonly kept: KeptImport; readonly rows: readonly RowState[] },
  { ready, files }: Pick<ImportTerms, 'ready' | 'files'>,
  api: Api,
): Promise<ActiveImport | null> {
  return activate(kept, rows, sourcesOf(kept.personIds, ready, files), api);
}

/** Ends an import on this page and forgets it. */
export async function closeImport(listId: string): Promise<void> {
  active.get(listId)?.end();
  active.delete(listId);
  await discardImport(listId);
  tell();
}

/** Whether something would stop with this page. */
export const isImporting = (): boolean =>
  [...active.values()].some(({ state }) => state.phase.name === 'running' || state.phase.name === 'waiting');

addEventListener('beforeunload', (event) => {
  if (isImporting()) event.preventDefault();
});
