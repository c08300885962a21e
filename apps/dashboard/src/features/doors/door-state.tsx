import type { DeviceResource, DeviceState } from '@svc/protocol';
import {
  Ban,
  CircleCheck,
  CircleX,
  Clock,
  CopyX,
  Eraser,
  type IconNode,
  QrCode as QrIcon,
  TriangleAlert,
} from 'lucide';
import { Icon } from '../../components/controls.tsx';
import { Badge, type Tone } from '../../components/status.tsx';
import { format, say } from '../../text/index.ts';

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
};

/** The state in a word; colour and icon repeat it. */
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
  return say(`doors.help.${door.state}`, { until });
}

/** Gravest first: states in which a door that people stand at does not work, or soon will not. */
const TROUBLES: readonly DeviceState[] = ['copied', 'expired', 'wiped', 'lease-running-out', 'due', 'never-synced'];

/** The doors that somebody has to look at while people come, gravest first. */
export function troubledDoors<Door extends Pick<DeviceResource, 'state'>>(doors: readonly Door[]): readonly Door[] {
  return doors
    .filter(({ state }) => TROUBLES.includes(state))
    .sort((one, other) => TROUBLES.indexOf(one.state) - TROUBLES.indexOf(other.state));
}

export function byAdvice<Door extends Pick<DeviceResource, 'state' | 'leaseEndsAt'>>(
  doors: readonly Door[],
  adviceOf: (door: Door) => string,
): readonly { readonly advice: string; readonly doors: readonly Door[] }[] {
  const groups = new Map<string, Door[]>();
  for (const door of doors) {
    const advice = adviceOf(door);
    groups.set(advice, [...(groups.get(advice) ?? []), door]);
  }
  return [...groups].map(([advice, alike]) => ({ advice, doors: alike }));
}

/** Whether one of the doors lets nobody in by face, or may be somebody else's. */
export const isGrave = (doors: readonly Pick<DeviceResource, 'state'>[]): boolean =>
  doors.some(({ state }) => doorLooks[state].tone === 'bad' || state === 'wiped');
