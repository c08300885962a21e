// biome-ignore-all lint/a11y/useSemanticElements: a table element lays out all of its rows, and these are drawn in part
// biome-ignore-all lint/a11y/useFocusableInteractive: what is pressed within a cell takes the focus
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: a region that scrolls is scrolled with the keyboard
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide';
import {
  type CSSProperties,
  type KeyboardEvent,
  memo,
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { Pages } from '../api/hooks.ts';
import { format, language, say, type TextKey } from '../text/index.ts';
import { Empty, type EmptyProps, PageHeader, type PageHeaderProps } from './blocks.tsx';
import { Icon, Link, type Target } from './controls.tsx';
import { Loading, Problem } from './status.tsx';

export interface Column<Row> {
  /** Tells the columns of a table apart. */
  readonly header: TextKey;
  /** Default: the value to sort by. */
  readonly cell?: (row: Row) => ReactNode;
  /** Value to sort by, null last. Without it the column cannot be sorted. */
  readonly sortBy?: (row: Row) => string | number | null;
  /** A track of CSS grid; default `minmax(6rem, 1fr)`. */
  readonly width?: string;
  readonly align?: 'start' | 'end';
  /** Head of the card that a row becomes on a narrow screen, and what `link` links; default: the first column. */
  readonly isTitle?: boolean;
}

export const counts = <Row,>(header: TextKey, of: (row: Row) => number): Column<Row> => ({
  ...{ header, align: 'end', sortBy: of },
  cell: (row) => format.number(of(row)),
});

/** A column of what happened how long ago; null: never. */
export const since = <Row,>(header: TextKey, of: (row: Row) => string | null): Column<Row> => ({
  ...{ header, sortBy: of },
  cell(row) {
    const at = of(row);
    return at === null ? say('app.never') : format.relative(at);
  },
});

/** A column of moments. @param width see {@link Column} */
export const moments = <Row,>(header: TextKey, width: string, of: (row: Row) => string): Column<Row> => ({
  ...{ header, width },
  cell: (row) => <time dateTime={of(row)}>{format.dateTime(of(row))}</time>,
});

const sortIcons = { none: ArrowUpDown, descending: ArrowDown, ascending: ArrowUp };
/** Upwards, downwards, as the rows came. */
const nextDirection = { none: 'ascending', ascending: 'descending', descending: 'none' } as const;

interface Sorting {
  readonly column: TextKey;
  readonly direction: keyof typeof sortIcons;
}

export interface DataTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rowKey: (row: Row) => string;
  readonly rows?: readonly Row[];
  /** Of `usePages`: the next page is fetched when its place comes near. */
  readonly pages?: Pages<Row>;
  /** How many rows there are with those not yet fetched. */
  readonly total?: number | undefined;
  readonly empty?: ReactNode;
  /** The page of a row: its title links there, and so does a press anywhere on the row. */
  readonly link?: (row: Row) => Target;
  readonly actions?: ((row: Row) => ReactNode) | false | undefined;
  /** Rows can be marked: what can be done with those that are. @param clear marks none */
  readonly bulk?: ((marked: readonly Row[], clear: () => void) => ReactNode) | false | undefined;
}

const ROW_PX = 53;
/** Shorter tables are drawn whole. */
const VIRTUAL_FROM = 60;
/** Of no longer tables all rows are fetched to be sorted. */
const MAX_SORTED = 5_000;
/** The next page is fetched this many rows before its place. */
const AHEAD_ROWS = 40;

const cellOf = <Row,>({ cell, sortBy }: Column<Row>, row: Row) => cell?.(row) ?? sortBy?.(row);

const NO_ROWS: readonly never[] = [];

/** The chosen sorting where it holds: rows that have not arrived cannot be sorted, and of a long table they never all do. */
export function sortingOf(chosen: Sorting | undefined, hasMore: boolean, total: number | undefined) {
  const isSortable = !hasMore || (total !== undefined && total <= MAX_SORTED);
  return { isSortable, sorting: isSortable && chosen?.direction !== 'none' ? chosen : undefined };
}

type Value = string | number | null;

/** Rows in an order, with their values read once. */
function sorted<Row>(rows: readonly Row[], by: (row: Row) => Value, isDescending: boolean) {
  const { compare } = new Intl.Collator(language, { numeric: true });
  const sign = isDescending ? -1 : 1;
  const order = (one: Value, other: Value): number => {
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    if (typeof one === 'number' && typeof other === 'number') return sign * (one - other);
    return sign * compare(String(one), String(other));
  };
  const keyed = rows.map((row) => [by(row), row] as const);
  return keyed.sort(([one], [other]) => order(one, other)).map(([, row]) => row);
}

/**
 * A table of any length: sorted by its headers, its head in view while it scrolls, cards instead of rows on a narrow
 * screen. Arrow keys, Home and End move between the rows' links and buttons.
 */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { pages, empty, rows = pages?.items ?? (NO_ROWS as readonly Row[]) } = props;
  const query = pages?.query;
  if (query?.error && rows.length === 0) return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  if (query?.isPending) return <Loading />;
  // A search may answer an empty page that is not the last.
  if (rows.length === 0 && query?.hasNextPage !== true) return <>{empty}</>;
  return <FilledTable {...props} rows={rows} />;
}

function FilledTable<Row>({
  label,
  columns,
  rowKey,
  rows: given,
  pages,
  link,
  actions,
  bulk,
  ...o
}: DataTableProps<Row> & { readonly rows: readonly Row[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const query = pages?.query;
  const [chosen, setChosen] = useState<Sorting>();
  const { isSortable, sorting } = sortingOf(chosen, query?.hasNextPage === true, o.total);
  const isSorted = sorting !== undefined;
  const rows = useMemo(() => {
    const by = columns.find(({ header }) => header === sorting?.column)?.sortBy;
    return by === undefined ? given : sorted(given, by, sorting?.direction === 'descending');
  }, [given, columns, sorting]);

  const [marks, setMarks] = useState<ReadonlySet<string>>(new Set());
  const mark = useCallback((keys: readonly string[], isMarked: boolean) => {
    setMarks((now) => new Set(isMarked ? [...now, ...keys] : [...now].filter((key) => !keys.includes(key))));
  }, []);
  // Those that were filtered away are not acted on.
  const marked = marks.size === 0 ? [] : rows.filter((row) => marks.has(rowKey(row)));
  const isVirtual = rows.length >= VIRTUAL_FROM;
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
    enabled: isVirtual,
  });
  const places = virtualizer.getVirtualItems();
  const first = isVirtual ? (places[0]?.index ?? 0) : 0;
  const end = isVirtual ? (places.at(-1)?.index ?? -1) + 1 : rows.length;
  useEffect(() => {
    // A page that failed is asked for again by its button alone.
    if (query === undefined || !query.hasNextPage || query.isFetchingNextPage || query.isFetchNextPageError) return;
    if (isSorted || end >= rows.length - AHEAD_ROWS) void query.fetchNextPage();
  }, [query, end, rows.length, isSorted]);

  function move(event: KeyboardEvent<HTMLElement>): void {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-index]') : null;
    if (row === null || (event.target instanceof HTMLInputElement && event.target.type !== 'checkbox')) return;
    const here = Number(row.dataset.index);
    const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (to === undefined || to < 0 || to >= rows.length) return;
    event.preventDefault();
    if (isVirtual) virtualizer.scrollToIndex(to);
    const focus = () =>
      scroller.current?.querySelector<HTMLElement>(`[data-index="${to}"] :is(a, button:not([disabled]))`)?.focus();
    requestAnimationFrame(() => requestAnimationFrame(focus));
  }

  const tracks = [
    ...(bulk ? ['1.25rem'] : []),
    ...columns.map(({ width }) => width ?? 'minmax(6rem, 1fr)'),
    ...(actions ? ['2.5rem'] : []),
  ];
  const hasMarks = bulk !== undefined && bulk !== false;
  const table = useMemo(
    () => ({ columns, link, actions, mark: hasMarks ? mark : null }),
    [columns, link, actions, mark, hasMarks],
  );
  const frame = (
    <div
      className="svcd-table-frame svcd-panel"
      data-virtual={isVirtual}
      ref={scroller}
      {...(isVirtual ? { role: 'group', tabIndex: 0, 'aria-label': label } : {})}
    >
      <div
        role="table"
        aria-label={label}
        aria-rowcount={(o.total ?? (query?.hasNextPage ? -2 : rows.length)) + 1}
        className="svcd-table"
        style={{ '--svcd-tracks': tracks.join(' ') } as CSSProperties}
      >
        <div role="rowgroup" className="svcd-table-top">
          <div role="row" className="svcd-table-head" aria-rowindex={1}>
            {hasMarks && (
              <span role="columnheader">
                <input
                  type="checkbox"
                  aria-label={say('many.mark-all', { count: rows.length })}
                  checked={marked.length === rows.length}
                  onChange={(event) => mark(rows.map(rowKey), event.target.checked)}
                />
              </span>
            )}
            {columns.map(({ header, align = 'start', sortBy }) => {
              const direction = sorting?.column === header ? sorting.direction : 'none';
              const sort = () => setChosen({ column: header, direction: nextDirection[direction] });
              const canSort = isSortable && sortBy !== undefined;
              return (
                <span
                  key={header}
                  role="columnheader"
                  aria-sort={canSort ? direction : undefined}
                  className="svcd-table-header"
                  data-align={align}
                >
                  {canSort ? (
                    <button type="button" onClick={sort}>
                      {say(header)}
                      <Icon of={sortIcons[direction]} />
                    </button>
                  ) : (
                    say(header)
                  )}
                </span>
              );
            })}
            {actions && (
              <span role="columnheader">
                <span className="svc-visually-hidden">{say('app.actions')}</span>
              </span>
            )}
          </div>
        </div>
        <div
          role="rowgroup"
          className="svcd-table-body"
          onKeyDown={move}
          style={isVirtual ? { blockSize: virtualizer.getTotalSize() } : {}}
        >
          {rows.slice(first, end).map((row, at) => {
            const index = first + at;
            return (
              <Row
                key={rowKey(row)}
                row={row}
                index={index}
                mark={rowKey(row)}
                isMarked={marks.has(rowKey(row))}
                startPx={isVirtual ? (places[at]?.start ?? 0) : null}
                measure={isVirtual ? virtualizer.measureElement : null}
                table={table}
              />
            );
          })}
        </div>
      </div>
      {query?.isFetchingNextPage && <Loading />}
      {query?.isFetchNextPageError && <Problem error={query.error} onRetry={() => void query.fetchNextPage()} />}
    </div>
  );
  if (!hasMarks) return frame;
  return (
    <>
      <div className="svcd-row svcd-marked" role="status">
        {marked.length > 0 && (
          <>
            <strong>{say('many.marked', { count: marked.length })}</strong>
            {bulk(marked, () => setMarks(new Set()))}
          </>
        )}
      </div>
      {frame}
    </>
  );
}

interface RowProps<Item> {
  readonly table: Pick<DataTableProps<Item>, 'columns' | 'actions'> & {
    readonly link: DataTableProps<Item>['link'];
    readonly mark: ((keys: readonly string[], isMarked: boolean) => void) | null;
  };
  /** What it is marked by. */
  readonly mark: string;
  readonly row: Item;
  readonly isMarked: boolean;
  readonly index: number;
  /** From the top of the body; null where all rows are drawn. */
  readonly startPx: number | null;
  readonly measure: Ref<HTMLDivElement>;
}

/** A row, drawn again when it or the table's columns change; scrolling draws those alone that come into view. */
const Row = memo(function Row<Item>({ table, row, index, mark, isMarked, startPx, measure }: RowProps<Item>) {
  const { columns, link, actions } = table;
  const id = useId();
  const titleHeader = (columns.find(({ isTitle }) => isTitle) ?? columns[0])?.header;
  return (
    <div
      role="row"
      className="svcd-table-row"
      data-linked={link !== undefined}
      aria-rowindex={index + 2}
      data-index={index}
      ref={measure}
      style={startPx === null ? {} : { position: 'absolute', transform: `translateY(${startPx}px)` }}
    >
      {table.mark !== null && (
        <div role="cell" className="svcd-table-cell">
          <input
            type="checkbox"
            aria-labelledby={id}
            checked={isMarked}
            onChange={(event) => table.mark?.([mark], event.target.checked)}
          />
        </div>
      )}
      {columns.map((column) => (
        <div
          role={column.header === titleHeader ? 'rowheader' : 'cell'}
          key={column.header}
          id={column.header === titleHeader ? id : undefined}
          className="svcd-table-cell"
          data-align={column.align ?? 'start'}
          data-title={column.header === titleHeader}
        >
          {column.header !== titleHeader && (
            <span className="svcd-table-name" aria-hidden="true">
              {say(column.header)}
            </span>
          )}
          {column.header === titleHeader && link !== undefined ? (
            <Link {...link(row)} className="svcd-table-link">
              {cellOf(column, row)}
            </Link>
          ) : (
            <div className="svcd-table-value">{cellOf(column, row)}</div>
          )}
        </div>
      ))}
      {actions && (
        <div role="cell" className="svcd-table-cell svcd-table-actions">
          {actions(row)}
        </div>
      )}
    </div>
  );
}) as <Item>(props: RowProps<Item>) => ReactNode;

export interface CollectionPageProps<Row>
  extends Pick<PageHeaderProps, 'title' | 'lead'>,
    Omit<DataTableProps<Row>, 'label' | 'rows' | 'empty'> {
  readonly pages: Pages<Row>;
  /** The button that adds one; in the place of the table while there is none. */
  readonly add?: ReactNode;
  readonly none: Omit<EmptyProps, 'action'>;
}

export function CollectionPage<Row>({ title, lead, add, none, ...table }: CollectionPageProps<Row>) {
  return (
    <>
      <PageHeader title={title} lead={lead} actions={table.pages.items.length > 0 && add} />
      <DataTable {...table} label={title} empty={<Empty {...none} action={add} />} />
    </>
  );
}
