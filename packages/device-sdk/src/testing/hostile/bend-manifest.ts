import type { SyncEpoch } from '@svc/protocol';
import type { Draft } from '../fake-service.ts';
import { text } from './bytes.ts';
import type { Bend } from './hostile-case.ts';

/** Other fields in the manifest. */
export const manifest =
  (change: (m: Draft['manifest']) => object): Bend =>
  (draft) => {
    draft.manifest = { ...draft.manifest, ...change(draft.manifest) };
  };
/** Other bytes than the manifest’s JSON. */
export const manifestBytes =
  (change: (json: string) => Uint8Array): Bend =>
  (draft) => {
    draft.manifestBytes = change(JSON.stringify(draft.manifest));
  };

/** Another JSON, whatever the types say. */
export const json = (change: (m: Record<string, unknown>) => object): Bend =>
  manifestBytes((honest) => text(JSON.stringify(change(JSON.parse(honest)))));

/** Other fields in each epoch of the manifest. */
export const epochs = (change: (epoch: SyncEpoch) => object): Bend =>
  manifest((m) => ({ epochs: m.epochs.map((epoch) => ({ ...epoch, ...change(epoch) })) }));
