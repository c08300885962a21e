// biome-ignore-all lint/a11y/useSemanticElements: a table element lays its rows out by itself, and these are drawn in part
// biome-ignore-all lint/a11y/useFocusableInteractive: what is pressed within a cell takes the focus
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide';
import { type CSSProperties, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { Pages } from '../api/hooks.ts';
import { useSay } from '../app/language.tsx';
import { Icon } from './button.tsx';
import { Problem } from './problem.tsx';
import { Loading } from './progress.tsx';

export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** Value to sort by. Without it the column cannot be sorted. */
  readonly sortBy?: (row: Row) => string | number | null;
  /** A track of CSS grid; default `minmax(6rem, 1fr)`. */
  readonly width?: string;
  readonly align?: 'start' | 'end';
  /** Head of the card that a row becomes on a narrow screen; default: the first column. */
  readonly isTitle?: boolean;
}

export interface DataTableProps<Row> {
  /** Name of the table for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  /** All rows; or `pages`. */
  readonly rows?: readonly Row[];
  /** Of `usePages`: the next page is fetched when its place comes into view. */
  readonly pages?: Pages<Row>;
  /** Shown where there is no row. */
  readonly empty?: ReactNode;
  /** Buttons or a menu at the end of a row. */
  readonly actions?: (row: Row) => ReactNode;
}

interface Sorting {
  readonly column: string;
  readonly isDescending: boolean;
}

const ROW_PX = 52;
/** Shorter tables are drawn whole. */
const VIRTUAL_FROM = 60;

function compare(one: string | number | null, other: string | number | null): number {
  if (one === other) return 0;
  if (one === null) return 1;
  if (other === null) return -1;
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one).localeCompare(String(other));
}

function sorted<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sorting: Sorting | null): readonly Row[] {
  const by = columns.find(({ id }) => id === sorting?.column)?.sortBy;
  if (sorting === null || by === undefined) return rows;
  const sign = sorting.isDescending ? -1 : 1;
  return [...rows].sort((one, other) => sign * compare(by(one), by(other)));
}

/** A table of any length: sorted by its headers, with cards instead of rows on a narrow screen. */
export function DataTable<Row>({ label, columns, rowKey, pages, empty, actions, ...o }: DataTableProps<Row>) {
  const given = o.rows ?? pages?.items ?? [];
  const query = pages?.query;
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const rows = useMemo(() => sorted(given, columns, sorting), [given, columns, sorting]);
  const scroller = useRef<HTMLDivElement>(null);
  const isVirtual = rows.length >= VIRTUAL_FROM;
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
    enabled: isVirtual,
  });
  const shown = isVirtual ? virtualizer.getVirtualItems() : rows.map((_, index) => ({ index, start: null }));
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (query?.hasNextPage && !query.isFetchingNextPage && last >= rows.length - 20) void query.fetchNextPage();
  }, [query, last, rows.length]);

  if (query?.error && rows.length === 0) return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  if (query?.isPending) return <Loading />;
  if (rows.length === 0) return <>{empty}</>;
  const tracks = [...columns.map(({ width }) => width ?? 'minmax(6rem, 1fr)'), ...(actions ? ['3rem'] : [])].join(' ');
  return (
    <div className="svcd-table-frame" data-virtual={isVirtual} ref={scroller}>
      <div
        role="table"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        className="svcd-table"
        style={{ '--svcd-tracks': tracks } as CSSProperties}
      >
        <div role="row" className="svcd-table-head" aria-rowindex={1}>
          {columns.map((column) => (
            <HeaderCell key={column.id} column={column} sorting={sorting} onSort={setSorting} />
          ))}
          {actions && <span role="columnheader" />}
        </div>
        <div
          role="rowgroup"
          className="svcd-table-body"
          style={isVirtual ? { blockSize: virtualizer.getTotalSize() } : {}}
        >
          {shown.map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <div
                role="row"
                key={rowKey(row)}
                className="svcd-table-row"
                aria-rowindex={index + 2}
                data-index={index}
                ref={isVirtual ? virtualizer.measureElement : null}
                style={{
                  gridTemplateColumns: tracks,
                  ...(start === null ? {} : { position: 'absolute', transform: `translateY(${start}px)` }),
                }}
              >
                {columns.map((column, at) => (
                  <div
                    role="cell"
                    key={column.id}
                    className="svcd-table-cell"
                    data-align={column.align ?? 'start'}
                    data-title={column.isTitle ?? at === 0}
                    data-label={column.header}
                  >
                    {column.cell(row)}
                  </div>
                ))}
                {actions && (
                  <div role="cell" className="svcd-table-cell svcd-table-actions">
                    {actions(row)}
                  </div>
                )}
              </div>
            );
          })}
        </div>
      </div>
      {query?.isFetchingNextPage && <Loading />}
    </div>
  );
}

function HeaderCell<Row>({
  column,
  sorting,
  onSort,
}: {
  readonly column: Column<Row>;
  readonly sorting: Sorting | null;
  readonly onSort: (sorting: Sorting | null) => void;
}) {
  const say = useSay();
  const isSorted = sorting?.column === column.id;
  const direction = !isSorted ? 'none' : sorting.isDescending ? 'descending' : 'ascending';
  if (column.sortBy === undefined) {
    return (
      <span role="columnheader" className="svcd-table-header" data-align={column.align ?? 'start'}>
        {column.header}
      </span>
    );
  }
  const press = () => onSort(isSorted && sorting.isDescending ? null : { column: column.id, isDescending: isSorted });
  const icon = { none: ArrowUpDown, descending: ArrowDown, ascending: ArrowUp }[direction];
  return (
    <span role="columnheader" aria-sort={direction} className="svcd-table-header" data-align={column.align ?? 'start'}>
      <button type="button" onClick={press} title={say('app.sort')}>
        {column.header}
        <Icon of={icon} />
      </button>
    </span>
  );
}
