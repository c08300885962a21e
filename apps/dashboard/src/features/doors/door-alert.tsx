import type { DeviceResource } from '@svc/protocol';
import { useCan, useRead } from '../../api/hooks.ts';
import { useLive } from '../../api/live.ts';
import { Link } from '../../components/controls.tsx';
import { Notice } from '../../components/status.tsx';
import { useCurrentList } from '../../components/tabbed-page.tsx';
import { format, say, useNow } from '../../text/index.ts';
import { byAdvice, helpOf, isGrave, nameOf, troubledDoors } from './door-state.tsx';

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

/** More are counted. */
const SHOWN = 5;

/** Whether people come now: during the event, and always to an ongoing list. */
export function useIsRunning(): boolean {
  const { eventId } = useCurrentList();
  const event = useRead('getEvent', { params: { eventId: eventId ?? 'none' } }, { enabled: eventId !== null });
  return eventId === null || event.data?.state === 'running';
}

/**
 * Says which doors of a running event do not work as they should, and what to do; nothing while all do. For the pages
 * of an event or a list. @param isElsewhere links to the doors
 */
export function DoorAlert({ isElsewhere = false }: { readonly isElsewhere?: boolean }) {
  const can = useCan();
  return can('devices:read') ? <Alert isElsewhere={isElsewhere} /> : null;
}

function Alert({ isElsewhere }: { readonly isElsewhere: boolean }) {
  const nowMs = useNow();
  const { listId, eventId } = useCurrentList();
  const isRunning = useIsRunning();
  const { doors } = useDoors(listId, { enabled: isRunning });
  const troubled = isRunning ? troubledDoors(doors) : [];
  if (troubled.length === 0) return null;
  const target =
    eventId === null
      ? { to: '/lists/$listId/doors', params: { listId: listId ?? '' } }
      : { to: '/events/$eventId/doors', params: { eventId } };
  return (
    <div role="status" className={isElsewhere ? 'svcd-door-alert' : undefined}>
      <Notice
        tone={isGrave(troubled) ? 'bad' : 'warning'}
        title={say('doors.alert', { troubled: troubled.length, all: doors.length })}
        action={isElsewhere ? <Link {...target}>{say('doors.alert-link')}</Link> : undefined}
      >
        <ul className="svcd-plain">
          {byAdvice(troubled.slice(0, SHOWN), helpOf).map(({ advice, doors: alike }) => (
            <li key={advice}>
              {alike.map((door) => (
                <div key={door.id}>
                  <strong>{nameOf(door)}</strong> · {say(`doors.state.${door.state}`)}
                  {door.lastSyncAt !== null && (
                    <> · {say('doors.synced', { ago: format.relative(door.lastSyncAt, nowMs) })}</>
                  )}
                </div>
              ))}
              {advice}
            </li>
          ))}
          {troubled.length > SHOWN && <li>{say('doors.alert-more', { count: troubled.length - SHOWN })}</li>}
        </ul>
      </Notice>
    </div>
  );
}
