import type { AnyRouter } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useSyncExternalStore } from 'react';

// Fetched when it is opened first.
const ReauthenticationDialog = lazy(async () => ({
  default: (await import('./reauthentication-dialog.tsx')).ReauthenticationDialog,
}));

/** Calls that wait for the person's answer. */
let waiting: ((confirmed: boolean) => void)[] = [];
const watchers = new Set<() => void>();
const tell = () => {
  for (const watcher of watchers) watcher();
};

/** Opens the dialog; calls that ask at the same time share it. @returns whether the person confirmed who they are */
export function askToReauthenticate(): Promise<boolean> {
  return new Promise((resolve) => {
    waiting = [...waiting, resolve];
    tell();
  });
}

function answer(confirmed: boolean): void {
  const resolvers = waiting;
  waiting = [];
  tell();
  for (const resolve of resolvers) resolve(confirmed);
}

const watch = (watcher: () => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

/** Where the dialog appears; once in the page. */
export function Reauthentication({ router }: { readonly router: AnyRouter }) {
  const isOpen = useSyncExternalStore(watch, () => waiting.length > 0);
  const wasOpen = useRef(false);
  wasOpen.current ||= isOpen;
  return (
    <Suspense>
      {wasOpen.current && <ReauthenticationDialog router={router} isOpen={isOpen} onAnswer={answer} />}
    </Suspense>
  );
}
