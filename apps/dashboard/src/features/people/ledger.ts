import { pageStorage } from '@svc/page-kit';
import type { ConsentEntry, ConsentRecordResource } from '@svc/protocol';
import {
  canonicalJson,
  type ChainHead as Head,
  type LedgerProblem,
  toHex,
  verifyLedger as verify,
} from '@svc/protocol/ledger';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { fetchLedger } from '../../api/client.ts';
import { usePages, useRead, useSession, useWork } from '../../api/hooks.ts';

/** Why a ledger does not hold together; see docs/guide/consent.md. These two have the words of others. */
export type LedgerFault = Exclude<LedgerProblem, 'count-mismatch' | 'earlier-head-missing'> | 'other-account';

const faultOf = (problem: LedgerProblem): LedgerFault => {
  if (problem === 'count-mismatch') return 'sequence-broken';
  return problem === 'earlier-head-missing' ? 'earlier-head-mismatch' : problem;
};

export type ChainHead = Omit<Head, 'listId'>;

export interface LedgerReport {
  /** Null when everything fits. */
  readonly fault: LedgerFault | null;
  /** Line of the export, from 1, at which the fault was found; 0 for none. */
  readonly line: number;
  readonly entries: number;
  /** Entries whose content was erased when its time was over. */
  readonly erased: number;
  /** Null for a list without a chain. */
  readonly head: ChainHead | null;
  /** The person's records whose content is what the chain commits to. */
  readonly records: readonly (ConsentEntry & { readonly seq: number })[];
}

const sha256 = async (bytes: Uint8Array<ArrayBuffer>) => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));

/** WebCrypto hashes whole texts alone: an export is kept until its end. */
function digestOfParts() {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  return {
    update: (bytes: Uint8Array<ArrayBuffer>) => void parts.push(bytes),
    digest: async () => sha256(new Uint8Array(await new Blob(parts).arrayBuffer())),
  };
}

/** SHA-256 of a value's canonical form, in hex. */
const hashOf = async (value: unknown): Promise<string> =>
  toHex(await sha256(new TextEncoder().encode(canonicalJson(value))));

export interface LedgerQuestion {
  readonly accountId: string;
  readonly listId: string;
  readonly personId: string;
  /** Head that was seen before: the chain has to go on from it. */
  readonly seen?: ChainHead | null;
  readonly onProgress?: (entries: number) => void;
  readonly signal?: AbortSignal;
}

/**
 * Verifies the export of a list's ledger in this browser: each entry has to follow from the one before it, and to hold
 * what it commits to.
 * @param body of `GET /v1/consents?listId=` as `application/x-ndjson`
 * @throws the signal's reason, and what the connection throws
 */
export async function verifyLedger(body: AsyncIterable<Uint8Array>, question: LedgerQuestion): Promise<LedgerReport> {
  const { accountId, listId, personId, seen, signal, onProgress } = question;
  const found: (ConsentEntry & { readonly seq: number })[] = [];
  let entriesSoFar = 0;
  /** The page gets a turn after each chunk. */
  async function* inTurns(): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      yield chunk;
      signal?.throwIfAborted();
      onProgress?.(entriesSoFar);
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
  const report = await verify(inTurns(), {
    hash: { sha256, stream: digestOfParts },
    earlier: seen ? [{ listId, ...seen }] : [],
    onEntry(seq, consent) {
      entriesSoFar = seq;
      if (consent?.personId === personId) found.push({ ...consent, seq });
    },
  });
  const { entries, erased, heads, findings } = report;
  const [first] = findings;
  let fault = first === undefined ? null : faultOf(first.problem);
  if (report.accountId !== null && report.accountId !== accountId) fault = 'other-account';
  if (fault === null && heads.some((head) => head.listId !== listId)) fault = 'unexpected-line';
  const [head = null] = heads;
  return {
    ...{ fault, line: first?.line ?? 0, entries, erased, records: found },
    head: head === null ? null : { length: head.length, entryHash: head.entryHash },
  };
}

/** What the ledger holds of a person, in all lists, oldest first. */
export function usePersonRecords(personId: string) {
  const { items, query } = usePages('listConsents', { query: { personId, limit: 200 } });
  // One person has few records; whoever enrolled again and again has more than a page.
  useEffect(() => {
    if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage();
  }, [query]);
  return { records: items, query };
}

const STORED = 'svcd-ledger-heads';

type Heads = Readonly<Record<string, ChainHead & { readonly at: string }>>;

/** Heads of chains that this browser has verified. They name no person. */
function seenHeads(): Heads {
  try {
    return JSON.parse(pageStorage.getItem(STORED) ?? '{}') as Heads;
  } catch {
    return {};
  }
}

function keepHead(listId: string, head: ChainHead): void {
  const heads = { ...seenHeads(), [listId]: { ...head, at: new Date().toISOString() } };
  // The latest hundred lists.
  const latest = Object.entries(heads).sort(([, a], [, b]) => b.at.localeCompare(a.at));
  pageStorage.setItem(STORED, JSON.stringify(Object.fromEntries(latest.slice(0, 100))));
}

export interface Verified {
  readonly report: LedgerReport;
  /** When this browser saw the chain before; null for the first time. */
  readonly seenAt: string | null;
}

/** Fetches the ledger of a list and verifies it in this browser, when asked to. */
export function useVerification(listId: string, personId: string) {
  const { account } = useSession();
  return useWork<Verified>(async (_, signal, onProgress) => {
    const seen = seenHeads()[listId] ?? null;
    const report = await verifyLedger(await fetchLedger(listId, signal), {
      ...{ accountId: account.accountId, listId, personId, seen, signal, onProgress },
    });
    if (report.fault === null && report.head !== null) keepHead(listId, report.head);
    return { report, seenAt: seen?.at ?? null };
  });
}

/** Whether the wording that a record names is the text that the service publishes; null while that is looked up. */
export function useWordingCheck({ consentVersion, wordingSha256, wordingLanguage, shownBy }: ConsentRecordResource) {
  const isNamed =
    shownBy === 'service' && consentVersion !== null && wordingSha256 !== null && wordingLanguage !== null;
  const published = useRead(
    'getConsentWording',
    { params: { consentVersion: consentVersion ?? '' }, query: { language: wordingLanguage ?? '' } },
    { enabled: isNamed, staleMs: Number.POSITIVE_INFINITY },
  ).data;
  const hash = useQuery({
    queryKey: ['wording-hash', consentVersion, wordingLanguage],
    queryFn: () => hashOf(published?.wording),
    enabled: published !== undefined,
  }).data;
  return hash === undefined ? null : hash === wordingSha256;
}
