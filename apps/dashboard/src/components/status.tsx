import { Listeners } from '@svc/page-kit';
import type { ListState } from '@svc/protocol';
import type { UseQueryResult } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide';
import { lazy, type ReactNode, Suspense, useSyncExternalStore } from 'react';
import { Label } from 'react-aria-components/Label';
import { ProgressBar } from 'react-aria-components/ProgressBar';
import { ApiError, messageOf } from '../api/errors.ts';
import { format, say } from '../text/index.ts';
import { Button, Icon } from './controls.tsx';

export type Tone = 'neutral' | 'good' | 'warning' | 'bad' | 'accent';

/** A state in a word; the colour repeats what the word says. */
export function Badge({ tone = 'neutral', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <span className="svcd-badge" data-tone={tone}>
      {children}
    </span>
  );
}

const listTones = { open: 'good', closed: 'warning', ended: 'neutral' } as const;

export function ListStateBadge({ state }: { readonly state: ListState }) {
  return <Badge tone={listTones[state]}>{say(`lists.state-${state}`)}</Badge>;
}

const icons = { info: Info, good: CircleCheck, warning: TriangleAlert, bad: TriangleAlert };

export interface NoticeProps {
  readonly tone?: keyof typeof icons;
  readonly title?: string;
  readonly text?: string;
  readonly action?: ReactNode;
  readonly children?: ReactNode;
}

export function Notice({ tone = 'info', title, text, action, children }: NoticeProps) {
  return (
    <div className="svcd-notice" data-tone={tone} role="note">
      <Icon of={icons[tone]} />
      <div>
        {title !== undefined && <p className="svcd-notice-title">{title}</p>}
        {text}
        {children}
      </div>
      {action}
    </div>
  );
}

/** An error in words, with what to do, announced when it appears; nothing for none. */
export function Problem({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  if (error === null || error === undefined) return null;
  const { title, help } = messageOf(error);
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <div className="svcd-notice" data-tone="bad" role="alert">
      <Icon of={CircleAlert} />
      <div>
        <p className="svcd-notice-title">{title}</p>
        <p>{help}</p>
        {requestId !== null && <p className="svcd-small">{say('errors.request-id', { requestId })}</p>}
      </div>
      {onRetry !== undefined && <Button size="small" onPress={onRetry} text={say('app.try-again')} />}
    </div>
  );
}

/** Says in passing that an act failed, where no dialog or form is left to say it. */
export function tellError(error: unknown): void {
  const { title, help } = messageOf(error);
  toast({ text: `${title} ${help}`, tone: 'bad' });
}

/** Shown while something is fetched for the first time; nothing for the first moment, against flicker. */
export function Loading() {
  return (
    <div className="svcd-loading" role="status">
      <span className="svcd-spinner" aria-hidden="true" />
      <span className="svc-visually-hidden">{say('app.loading')}</span>
    </div>
  );
}

/** Shown in the place of a table's rows while they are fetched. */
export function SkeletonRows({ count = 5 }: { readonly count?: number }) {
  return (
    <div className="svcd-skeleton svcd-panel" role="status" aria-busy="true">
      <span className="svc-visually-hidden">{say('app.loading')}</span>
      {Array.from({ length: count }, (_, index) => (
        <span key={index} aria-hidden="true" />
      ))}
    </div>
  );
}

/** How far something is. @param value 0 to 1 */
export function Progress({ label, value }: { readonly label: string; readonly value: number }) {
  return (
    <ProgressBar className="svcd-progress" value={value * 100} valueLabel={format.percent(value)}>
      {({ percentage = 0, valueText }) => (
        <>
          <span className="svcd-progress-words">
            <Label>{label}</Label>
            <span>{valueText}</span>
          </span>
          <span className="svcd-progress-track">
            <span className="svcd-progress-fill" style={{ inlineSize: `${percentage}%` }} />
          </span>
        </>
      )}
    </ProgressBar>
  );
}

/** In the place of what a read has not brought: what went wrong, or that it is on its way. */
export function Unread({ query }: { readonly query: Pick<UseQueryResult<unknown>, 'error' | 'refetch'> }) {
  return query.error === null ? <Loading /> : <Problem error={query.error} onRetry={() => void query.refetch()} />;
}

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
const needed = new Listeners<void>();
const watch = (watcher: () => void) => needed.add(watcher);

/** Says in passing that something was done: `toast({ text, onUndo })`. Errors stay until they are closed. */
export function toast(words: ToastWords): void {
  isNeeded = true;
  needed.tell();
  void load().then(({ addToast }) => addToast(words));
}

export function ToastRegion() {
  const isShown = useSyncExternalStore(watch, () => isNeeded);
  return <Suspense>{isShown && <ShownToasts />}</Suspense>;
}
