import { expect, it } from 'vitest';
import { sortingOf } from './data-table.tsx';
import { type Opened, openDialog } from './form.tsx';

function page() {
  let opened: readonly Opened[] = [];
  const change = (to: (now: readonly Opened[]) => readonly Opened[]) => {
    opened = to(opened);
  };
  return { open: (element: string) => openDialog(element, change), shown: () => opened[0] };
}

it('an act that ends late closes its own dialog alone', () => {
  const { open, shown } = page();
  open('the question of an act');
  const late = shown();
  late?.close();
  expect(shown()).toBeUndefined();
  open('a form');
  late?.close();
  expect(shown()?.element).toBe('a form');
});

it('what is opened late waits until the dialog that is open is closed', () => {
  const { open, shown } = page();
  open('a secret');
  open('another secret');
  expect(shown()?.element).toBe('a secret');
  shown()?.close();
  expect(shown()?.element).toBe('another secret');
});

it('a table that was sorted is not fetched whole to be sorted once it shows too many rows', () => {
  const sorting = { column: 'app.state', direction: 'ascending' } as const;
  expect(sortingOf(sorting, true, 300)).toEqual({ isSortable: true, sorting });
  for (const total of [100_000, undefined]) expect(sortingOf(sorting, true, total).sorting).toBeUndefined();
});
