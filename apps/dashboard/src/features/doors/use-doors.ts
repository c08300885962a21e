import type { DeviceResource } from '@svc/protocol';
import { useRead } from '../../api/hooks.ts';
import { useLive } from '../../api/live.ts';

/** States change with time alone, too. */
const AGAIN_MS = 60_000;

/** The doors of a list that are not revoked, or those that are, live. @param listId null for none yet */
export function useDoors(listId: string | null, { revoked = false, enabled = true } = {}) {
  useLive('doors', listId);
  const query = useRead(
    'listDevices',
    { params: { listId: listId ?? 'none' }, query: { limit: 200, revoked } },
    { enabled: enabled && listId !== null, everyMs: AGAIN_MS },
  );
  return { query, doors: (query.data?.items ?? []) as readonly DeviceResource[] };
}
