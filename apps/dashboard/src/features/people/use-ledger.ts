import type { ConsentRecordResource } from '@svc/protocol';
import { useEffect, useRef, useState } from 'react';
import { toApiError } from '../../api/errors.ts';
import { useApi, usePages } from '../../api/hooks.ts';
import { useSession } from '../../app/session.tsx';
import { type ChainHead, hashOf, type LedgerReport, verifyLedger } from './ledger.ts';

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
    return JSON.parse(localStorage.getItem(STORED) ?? '{}') as Heads;
  } catch {
    return {};
  }
}

function keepHead(listId: string, head: ChainHead): void {
  const heads = { ...seenHeads(), [listId]: { ...head, at: new Date().toISOString() } };
  // The latest hundred lists.
  const latest = Object.entries(heads).sort(([, a], [, b]) => b.at.localeCompare(a.at));
  localStorage.setItem(STORED, JSON.stringify(Object.fromEntries(latest.slice(0, 100))));
}

export interface Verified {
  readonly report: LedgerReport;
  /** When this browser saw the chain before; null for the first time. */
  readonly seenAt: string | null;
}

export type Verification =
  | { readonly name: 'idle' }
  | { readonly name: 'running'; readonly entries: number }
  | { readonly name: 'done'; readonly verified: Verified }
  | { readonly name: 'failed'; readonly error: unknown };

/** Fetches the ledger of a list and verifies it in this browser, when asked to. */
export function useVerification(listId: string, personId: string) {
  const { account } = useSession();
  const [state, setState] = useState<Verification>({ name: 'idle' });
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);

  async function verify(signal: AbortSignal): Promise<Verified> {
    const response = await fetch(`/v1/consents?listId=${encodeURIComponent(listId)}`, {
      headers: { Accept: 'application/x-ndjson' },
      cache: 'no-store',
      redirect: 'error',
      signal,
    });
    if (!response.ok || response.body === null) throw await toApiError(response);
    const seen = seenHeads()[listId] ?? null;
    const report = await verifyLedger(response.body, {
      ...{ accountId: account.accountId, listId, personId, seen, signal },
      onProgress: (entries) => setState({ name: 'running', entries }),
    });
    if (report.fault === null && report.head !== null) keepHead(listId, report.head);
    return { report, seenAt: seen?.at ?? null };
  }

  function start(): void {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const show = (next: Verification) => {
      if (!controller.signal.aborted) setState(next);
    };
    setState({ name: 'running', entries: 0 });
    verify(controller.signal).then(
      (verified) => show({ name: 'done', verified }),
      (error: unknown) => show({ name: 'failed', error }),
    );
  }

  return { state, start };
}

/** Whether the wording that a record names is the text that the service publishes; null while that is looked up. */
export function useWordingCheck({ consentVersion, wordingSha256, wordingLanguage }: ConsentRecordResource) {
  const api = useApi();
  const [isPublished, setPublished] = useState<boolean | null>(null);
  useEffect(() => {
    if (consentVersion === null || wordingSha256 === null || wordingLanguage === null) return;
    let isWanted = true;
    const check = async () => {
      const { wording } = await api.call('getConsentWording', {
        params: { consentVersion },
        query: { language: wordingLanguage },
      });
      const hash = await hashOf(wording);
      if (isWanted) setPublished(hash === wordingSha256);
    };
    check().catch(() => undefined);
    return () => {
      isWanted = false;
    };
  }, [api, consentVersion, wordingSha256, wordingLanguage]);
  return isPublished;
}
