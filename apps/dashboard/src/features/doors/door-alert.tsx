import type { DeviceResource, DeviceState, EventState } from '@svc/protocol';
import {
  Ban,
  CircleCheck,
  CircleX,
  Clock,
  CopyX,
  Eraser,
  EyeOff,
  type IconNode,
  QrCode as QrIcon,
  TriangleAlert,
} from 'lucide';
import { useCan, useRead, useReads } from '../../api/hooks.ts';
import { Icon, Link } from '../../components/controls.tsx';
import { Badge, Notice, type Tone } from '../../components/status.tsx';
import { useCurrentList } from '../../components/tabbed-page.tsx';
import { format, say, useNow } from '../../text/index.ts';

/** How a state looks: its word is `doors.state.<state>`, what to do `doors.help.<state>`. */
export const doorLooks: Readonly<Record<DeviceState, { readonly tone: Tone; readonly icon: IconNode }>> = {
  'never-synced': { tone: 'accent', icon: QrIcon },
  fresh: { tone: 'good', icon: CircleCheck },
  due: { tone: 'warning', icon: Clock },
  'lease-running-out': { tone: 'warning', icon: TriangleAlert },
  expired: { tone: 'bad', icon: CircleX },
  copied: { tone: 'bad', icon: CopyX },
  revoked: { tone: 'warning', icon: Ban },
  wiped: { tone: 'neutral', icon: Eraser },
  unsuited: { tone: 'bad', icon: EyeOff },
};

export function DoorBadge({ state }: { readonly state: DeviceState }) {
  const { tone, icon } = doorLooks[state];
  return (
    <Badge tone={tone}>
      <Icon of={icon} />
      {say(`doors.state.${state}`)}
    </Badge>
  );
}

/** Its name, else the last characters of its id, as its own screen shows them. */
export const nameOf = ({ name, id }: Pick<DeviceResource, 'name' | 'id'>): string => name ?? id.slice(-6);

export function helpOf(door: Pick<DeviceResource, 'state' | 'leaseEndsAt'>): string {
  const until = door.leaseEndsAt === null ? '–' : format.dateTime(door.leaseEndsAt);
  return say(`doors.help.${door.state}`, { until, holds: door.leaseEndsAt === null ? 'no' : 'yes' });
}

/** Whether a door said that it can be one of an unattended list, and still can. */
export const servesUnattended = ({ state, attendances }: Pick<DeviceResource, 'state' | 'attendances'>): boolean =>
  state !== 'unsuited' && attendances?.includes('unattended') === true;

/** Gravest first: states in which a door that people stand at does not work, or soon will not. */
const TROUBLES: readonly DeviceState[] = [
  'copied',
  'unsuited',
  'expired',
  'wiped',
  'lease-running-out',
  'due',
  'never-synced',
];

/** That of an event, or of an ongoing list, which people always come to. */
export type Phase = EventState | 'ongoing';

/** The doors that somebody has to look at, gravest first: while people come, those that are not up to date. */
export function troubledDoors<Door extends Pick<DeviceResource, 'state'>>(
  phase: Phase,
  doors: readonly Door[],
): readonly Door[] {
  if (phase !== 'running' && phase !== 'ongoing') return [];
  return doors
    .filter(({ state }) => TROUBLES.includes(state))
    .sort((one, other) => TROUBLES.indexOf(one.state) - TROUBLES.indexOf(other.state));
}

export function byAdvice<Door>(doors: readonly Door[], adviceOf: (door: Door) => string) {
  const groups = new Map<string, Door[]>();
  for (const door of doors) groups.set(adviceOf(door), [...(groups.get(adviceOf(door)) ?? []), door]);
  return [...groups];
}

/** Whether one of the doors lets nobody in by face, or may be somebody else's. */
export const isGrave = (doors: readonly Pick<DeviceResource, 'state'>[]): boolean =>
  doors.some(({ state }) => doorLooks[state].tone === 'bad' || state === 'wiped');

/** States change with time alone, too. */
const AGAIN_MS = 60_000;

const doorsOf = (listId: string, revoked = false) => ({ params: { listId }, query: { limit: 200, revoked } });

/** The doors of a list that are not revoked, or those that are. @param listId null for none yet */
export function useDoors(listId: string | null, { revoked = false, enabled = true } = {}) {
  const options = { enabled: enabled && listId !== null, everyMs: AGAIN_MS };
  const query = useRead('listDevices', doorsOf(listId ?? 'none', revoked), options);
  return { query, doors: (query.data?.items ?? []) as readonly DeviceResource[] };
}

/** A hook: the doors of several lists by list, as far as they have been read. */
export function useDoorsOfLists(listIds: readonly string[]): ReadonlyMap<string, readonly DeviceResource[]> {
  // At most 20 lists a minute are asked.
  const everyMs = AGAIN_MS * Math.max(1, Math.ceil(listIds.length / 20));
  const options = { enabled: useCan()('devices:read'), everyMs, staleMs: everyMs };
  const reads = useReads(
    'listDevices',
    listIds.map((listId) => doorsOf(listId)),
    options,
  );
  return new Map(listIds.flatMap((listId, i) => (reads[i] === undefined ? [] : [[listId, reads[i].items] as const])));
}

/** More are counted. */
const SHOWN = 5;

/** Which doors need somebody, in one line. */
export function troubleOf(phase: Phase, doors: readonly DeviceResource[]): string {
  const troubled = troubledDoors(phase, doors);
  const names = troubled.slice(0, SHOWN).map(nameOf);
  if (troubled.length > SHOWN) names.push(say('doors.alert-more', { count: troubled.length - SHOWN }));
  return `${say('doors.alert', { troubled: troubled.length, all: doors.length })}: ${names.join(', ')}.`;
}

/**
 * Says which doors of a running event do not work as they should, and what to do; nothing while all do. For the pages
 * of an event or a list. @param isElsewhere links to the doors
 */
export function DoorAlert({ isElsewhere = false }: { readonly isElsewhere?: boolean }) {
  const mayRead = useCan()('devices:read');
  const nowMs = useNow();
  const { listId, eventId } = useCurrentList();
  const event = useRead('getEvent', { params: { eventId: eventId ?? 'none' } }, { enabled: eventId !== null });
  const phase = eventId === null ? 'ongoing' : (event.data?.state ?? 'upcoming');
  const { doors } = useDoors(listId, { enabled: mayRead });
  const troubled = troubledDoors(phase, doors);
  if (troubled.length === 0) return null;
  const target =
    eventId === null
      ? { to: '/lists/$listId/doors', params: { listId: listId ?? '' } }
      : { to: '/events/$eventId/doors', params: { eventId } };
  return (
    <div role="status">
      <Notice
        tone={isGrave(troubled) ? 'bad' : 'warning'}
        title={say('doors.alert', { troubled: troubled.length, all: doors.length })}
        action={isElsewhere ? <Link {...target}>{say('doors.alert-link')}</Link> : undefined}
      >
        <ul className="svcd-plain">
          {byAdvice(troubled.slice(0, SHOWN), helpOf).map(([advice, alike]) => (
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
