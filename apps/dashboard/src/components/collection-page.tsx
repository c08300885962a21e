import type { ReactNode } from 'react';
import type { Pages } from '../api/hooks.ts';
import { Empty, type EmptyProps, PageHeader, type PageHeaderProps } from './blocks.tsx';
import { DataTable, type DataTableProps } from './data-table.tsx';

export interface CollectionPageProps<Row>
  extends Pick<PageHeaderProps, 'title' | 'lead'>,
    Omit<DataTableProps<Row>, 'label' | 'rows' | 'empty'> {
  readonly pages: Pages<Row>;
  /** The button that adds one; in the place of the table while there is none. */
  readonly add?: ReactNode;
  readonly none: Omit<EmptyProps, 'action'>;
}

/** A page of a collection: its head, and a table of all in it. */
export function CollectionPage<Row>({ title, lead, add, none, ...table }: CollectionPageProps<Row>) {
  return (
    <>
      <PageHeader title={title} lead={lead} actions={table.pages.items.length > 0 && add} />
      <DataTable {...table} label={title} empty={<Empty {...none} action={add} />} />
    </>
  );
}
