import { expect, it } from 'vitest';
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
