import type { SyncEpoch } from '@svc/protocol';
import type { Draft } from '../fake-service.ts';
import { type Bend, text } from './hostile-case.ts';

/** Changes fields of the manifest. */
export const manifest =
  (change: (m: Draft['manifest']) => object): Bend =>
  (draft) => {
    draft.manifest = { ...draft.manifest, ...change(draft.manifest) };
  };
/** Replaces the manifest’s JSON bytes. */
export const manifestBytes =
  (change: (json: string) => Uint8Array): Bend =>
  (draft) => {
    draft.manifestBytes = change(JSON.stringify(draft.manifest));
  };

/** Replaces the JSON, whatever its type. */
export const json = (change: (m: Record<string, unknown>) => object): Bend =>
  manifestBytes((honest) => text(JSON.stringify(change(JSON.parse(honest)))));

/** Changes fields of each epoch of the manifest. */
export const epochs = (change: (epoch: SyncEpoch) => object): Bend =>
  manifest((m) => ({ epochs: m.epochs.map((epoch) => ({ ...epoch, ...change(epoch) })) }));
