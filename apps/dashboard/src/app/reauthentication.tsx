import type { AnyRouter } from '@tanstack/react-router';
import { lazy, Suspense, useSyncExternalStore } from 'react';
import { confirmation } from '../api/client.ts';

// Fetched when it is opened first.
const ReauthenticationDialog = lazy(async () => ({
  default: (await import('./session-dialogs.tsx')).ReauthenticationDialog,
}));

export function Reauthentication({ router }: { readonly router: AnyRouter }) {
  const isAsked = useSyncExternalStore(confirmation.watch, confirmation.isAsked);
  return <Suspense>{isAsked && <ReauthenticationDialog router={router} />}</Suspense>;
}
