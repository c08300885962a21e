import type { Arrivals } from '@svc/protocol';
import { Download } from 'lucide';
import { useRead } from '../../api/hooks.ts';
import { Section } from '../../components/blocks.tsx';
import { Bars, Chart } from '../../components/chart.tsx';
import { Button } from '../../components/controls.tsx';
import { type Column, counts, DataTable, since } from '../../components/data-table.tsx';
import { csvFile, csvLines, saveAs } from '../../components/files.ts';
import { Notice, Unread } from '../../components/status.tsx';
import { format, plain, say } from '../../text/index.ts';
import { nameOf } from '../doors/door-alert.tsx';

const kinds = ['admitted', 'toStaff', 'notEnrolled'] as const;
const tones = { admitted: 'good', toStaff: 'warning', notEnrolled: 'accent' } as const;

const columns: readonly Column<Arrivals['doors'][number]>[] = [
  {
    header: 'doors.door',
    width: 'minmax(7rem, 1.4fr)',
    sortBy: ({ deviceId, name }) => nameOf({ id: deviceId, name }),
  },
  ...kinds.map((kind) => counts<Arrivals['doors'][number]>(`arrivals.${kind}`, (door) => door[kind])),
  since('arrivals.reported', ({ reportedAt }) => reportedAt),
];

/** Doors that may have more than they told. @param endsAt ISO 8601 */
export const unsentDoors = (doors: Arrivals['doors'], endsAt: string): readonly string[] =>
  doors
    .filter(({ reportedAt }) => reportedAt === null || reportedAt < endsAt)
    .map(({ deviceId, name }) => nameOf({ id: deviceId, name }));

/** How many came, where the list's doors count or have counted. @param endsAt of the event; null: an ongoing list */
export function ArrivalsSection({ listId, endsAt }: { readonly listId: string; readonly endsAt: string | null }) {
  const read = useRead('getArrivals', { params: { listId } });
  if (read.data === undefined) return <Unread query={read} />;
  const { arrivals, exact, enrolled, totals, doors, buckets } = read.data;
  if (arrivals === 'off' && buckets.length === 0) return null;
  const unsent = exact && endsAt !== null ? unsentDoors(doors, endsAt) : [];
  const times = buckets.map(({ startsAt }) => startsAt);
  const soFar = (kind: (typeof kinds)[number]) => {
    let sum = 0;
    return buckets.map((bucket) => (sum += bucket[kind]));
  };
  const save = () => {
    const rows = buckets.map((bucket) => [bucket.startsAt, ...kinds.map((kind) => bucket[kind])]);
    const head = [say('arrivals.from'), ...kinds.map((kind) => say(`arrivals.${kind}`))];
    saveAs(csvFile([csvLines([head, ...rows])]), `${plain(say('arrivals.file'))}-${times[0]?.slice(0, 10)}.csv`);
  };
  const download = buckets.length > 0 && <Button icon={Download} onPress={save} text={say('guests.download')} />;
  return (
    <Section
      title={say('arrivals.title')}
      lead={say(endsAt === null ? 'arrivals.lead-ongoing' : exact ? 'arrivals.lead-exact' : 'arrivals.lead')}
      actions={download}
    >
      {unsent.length > 0 && <Notice tone="warning" text={say('arrivals.unsent', { doors: unsent.join(', ') })} />}
      <Bars
        whole={enrolled}
        bars={[
          { label: say('guests.state.enrolled'), value: enrolled },
          { label: say('arrivals.admitted'), value: totals.admitted, tone: tones.admitted },
          { label: say('arrivals.toStaff'), value: totals.toStaff, tone: tones.toStaff },
        ]}
      />
      {times.length > 1 ? (
        <Chart
          label={say('arrivals.chart')}
          times={times}
          tick={format.time}
          series={kinds.map((kind) => ({ name: say(`arrivals.${kind}`), values: soFar(kind), tone: tones[kind] }))}
        />
      ) : (
        <Notice text={say('arrivals.chart-later')} />
      )}
      <DataTable label={say('arrivals.by-door')} rows={doors} rowKey={({ deviceId }) => deviceId} columns={columns} />
    </Section>
  );
}
