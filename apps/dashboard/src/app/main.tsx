import '../styles/dashboard.css';
import { directionOfLanguage, guardScripts } from '@svc/page-kit';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, StrictMode, Suspense, useSyncExternalStore } from 'react';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import { createRoot } from 'react-dom/client';
import { cache, confirmation } from '../api/client.ts';
import { ToastRegion } from '../components/status.tsx';
import { applyTheme } from '../features/account/theme.ts';
import { language, preferredLanguage, speak } from '../text/index.ts';
import { router } from './router.tsx';

// Fetched when it is opened first.
const ReauthenticationDialog = lazy(async () => ({
  default: (await import('./session-dialogs.tsx')).ReauthenticationDialog,
}));

function Reauthentication() {
  const isAsked = useSyncExternalStore(confirmation.watch, confirmation.isAsked);
  return <Suspense>{isAsked && <ReauthenticationDialog router={router} />}</Suspense>;
}

guardScripts(new URL('/dashboard/', location.href));
applyTheme();

const root = document.getElementById('app');
await speak(preferredLanguage(), navigator.languages).catch(() => speak('en', navigator.languages));
Object.assign(document.documentElement, { lang: language, dir: directionOfLanguage(language) });
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <I18nProvider locale={language}>
        <QueryClientProvider client={cache}>
          <RouterProvider router={router} />
          <Reauthentication />
          <ToastRegion />
        </QueryClientProvider>
      </I18nProvider>
    </StrictMode>,
  );
}

/** What an import left on this machine is forgotten in time, whichever page is opened. */
async function forgetImports(): Promise<void> {
  const { discardOverdue } = await import('../features/import/import-store.ts');
  await discardOverdue(Date.now());
}
setTimeout(() => void forgetImports().catch(() => undefined), 5_000);
