import { lazy, Suspense, useSyncExternalStore } from 'react';

export interface ToastWords {
  readonly text: string;
  readonly tone?: 'good' | 'bad';
  /** Takes the change back, while the message is shown. */
  readonly onUndo?: () => void;
}

// Fetched with the first message.
const load = () => import('./toast-region.tsx');
const ShownToasts = lazy(async () => ({ default: (await load()).ShownToasts }));

let isNeeded = false;
const watchers = new Set<() => void>();
const watch = (watcher: () => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

/** Says in passing that something was done: `toast({ text, onUndo })`. Errors stay until they are closed. */
export function toast(words: ToastWords): void {
  isNeeded = true;
  for (const watcher of watchers) watcher();
  void load().then(({ addToast }) => addToast(words));
}

/** Where messages appear; once in the page. */
export function ToastRegion() {
  const isShown = useSyncExternalStore(watch, () => isNeeded);
  return <Suspense>{isShown && <ShownToasts />}</Suspense>;
}
