import '../styles/dashboard.css';
import { guardScripts } from '@svc/page-kit';
import { hashKey, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import { createRoot } from 'react-dom/client';
import { createApi } from '../api/client.ts';
import { ApiProvider, isWorthRetry } from '../api/hooks.ts';
import type { Session } from '../api/operations.ts';
import { SESSION_KEY } from '../api/session.tsx';
import { ToastRegion } from '../components/toast.tsx';
import { applyTheme } from '../features/account/theme.ts';
import { loadTexts } from '../text/index.ts';
import { LanguageProvider, preferredLanguage } from '../text/language.tsx';
import { askToReauthenticate, Reauthentication } from './reauthentication.tsx';
import { router } from './router.tsx';

guardScripts(new URL('/dashboard/', location.href));
applyTheme();

const cache = new QueryClient({
  defaultOptions: { queries: { retry: isWorthRetry, refetchOnWindowFocus: true }, mutations: { retry: false } },
});
const session = () => cache.getQueryData<Session | null>(SESSION_KEY) ?? null;

// What one person has read is not shown to the next one in the same tab.
let person: string | null = null;
cache.getQueryCache().subscribe(({ query }) => {
  if (query.queryHash !== hashKey(SESSION_KEY)) return;
  const userId = session()?.user.userId ?? null;
  if (userId === null || userId === person) return;
  if (person !== null) cache.removeQueries({ predicate: (other) => other.queryHash !== query.queryHash });
  person = userId;
});

const api = createApi({
  fetch: (...given) => fetch(...given),
  csrfToken: () => session()?.csrfToken ?? null,
  renewSession: () => cache.invalidateQueries({ queryKey: SESSION_KEY }),
  reauthenticate: askToReauthenticate,
  onSignedOut: () => cache.setQueryData(SESSION_KEY, null),
  newIdempotencyKey: () => crypto.randomUUID(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    }),
});

const root = document.getElementById('app');
const spoken = await loadTexts(preferredLanguage()).catch(() => loadTexts('en'));
document.documentElement.lang = spoken.language;
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <LanguageProvider value={spoken}>
        <I18nProvider locale={spoken.language}>
          <QueryClientProvider client={cache}>
            <ApiProvider value={api}>
              <RouterProvider router={router} />
              <Reauthentication router={router} />
              <ToastRegion />
            </ApiProvider>
          </QueryClientProvider>
        </I18nProvider>
      </LanguageProvider>
    </StrictMode>,
  );
}

/** What an import left on this machine is forgotten in time, whichever page is opened. */
async function forgetImports(): Promise<void> {
  const { discardOverdue } = await import('../features/import/import-store.ts');
  await discardOverdue(Date.now());
}
setTimeout(() => void forgetImports().catch(() => undefined), 5_000);
