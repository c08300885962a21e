import { useEffect, useRef, useState } from 'react';
import { toApiError } from '../../api/errors.ts';
import { useApi } from '../../api/hooks.ts';
import { saveAs } from '../../components/files.ts';
import { csvOf, ledgerOf } from './consent-export.ts';

export type ExportFormat = 'csv' | 'ndjson';

export type ExportState =
  | { readonly name: 'idle' }
  | { readonly name: 'running'; readonly format: ExportFormat; readonly records: number }
  | { readonly name: 'done'; readonly records: number }
  | { readonly name: 'failed'; readonly error: unknown };

/** Downloads the ledger of a list, or of all lists: the state, and what starts and ends it. */
export function useConsentExport(listId: string | undefined) {
  const api = useApi();
  const [state, setState] = useState<ExportState>({ name: 'idle' });
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);

  async function fetchExport(format: ExportFormat, signal: AbortSignal, onProgress: (records: number) => void) {
    if (format === 'csv') {
      return csvOf((cursor) => api.call('listConsents', { query: { listId, cursor, limit: 200 }, signal }), onProgress);
    }
    const query = listId === undefined ? '' : `?listId=${encodeURIComponent(listId)}`;
    const headers = { Accept: 'application/x-ndjson' };
    const response = await fetch(`/v1/consents${query}`, { headers, cache: 'no-store', redirect: 'error', signal });
    if (!response.ok || response.body === null) throw await toApiError(response);
    return ledgerOf(response.body, onProgress);
  }

  async function start(format: ExportFormat): Promise<void> {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const show = (next: ExportState) => {
      if (!controller.signal.aborted) setState(next);
    };
    let records = 0;
    setState({ name: 'running', format, records });
    try {
      const blob = await fetchExport(format, controller.signal, (count) => {
        records = count;
        show({ name: 'running', format, records });
      });
      const day = new Date().toISOString().slice(0, 10);
      saveAs(blob, `consents-${listId ?? 'all'}-${day}.${format}`);
      show({ name: 'done', records });
    } catch (error) {
      show({ name: 'failed', error });
    }
  }

  return {
    state,
    start: (format: ExportFormat) => void start(format),
    cancel: () => {
      running.current?.abort();
      setState({ name: 'idle' });
    },
  };
}
