import { Listeners, newUuid } from '@svc/page-kit';
import type { ListState } from '@svc/protocol';
import type { UseQueryResult } from '@tanstack/react-query';
import { CircleCheck, Info, TriangleAlert, X } from 'lucide';
import { type ReactNode, useId, useSyncExternalStore } from 'react';
import { ApiError, messageOf } from '../api/errors.ts';
import { useSession } from '../api/hooks.ts';
import { format, say } from '../text/index.ts';
import { Button, Icon } from './controls.tsx';

export type Tone = 'neutral' | 'good' | 'warning' | 'bad' | 'accent';

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

interface NoticeProps {
  readonly tone?: keyof typeof icons;
  readonly title?: string;
  readonly text?: string;
  readonly action?: ReactNode;
  /** Announced when it appears. */
  readonly isAlert?: boolean;
  readonly children?: ReactNode;
}

export function Notice({ tone = 'info', title, text, action, isAlert = false, children }: NoticeProps) {
  return (
    <div className="svcd-notice" data-tone={tone} role={isAlert ? 'alert' : 'note'}>
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

/** In what the installed models are weaker than the recommended ones; nothing where they are not. */
export function ModelWarnings() {
  const { models } = useSession().deployment;
  return models?.warnings.map((warning) => <Notice key={warning} tone="warning" text={say(`app.models-${warning}`)} />);
}

/** An error in words, with what to do; nothing for none. */
export function Problem({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  if (error === null || error === undefined) return null;
  const { title, help } = messageOf(error);
  const requestId = error instanceof ApiError ? error.requestId : null;
  const again = onRetry !== undefined && <Button size="small" onPress={onRetry} text={say('app.try-again')} />;
  return (
    <Notice tone="bad" isAlert title={title} text={help} action={again}>
      {requestId !== null && <p className="svcd-small">{say('errors.request-id', { requestId })}</p>}
    </Notice>
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

/** How far something is. @param value 0 to 1 */
export function Progress({ label, value }: { readonly label: string; readonly value: number }) {
  const id = useId();
  return (
    <div className="svcd-progress">
      <div className="svcd-row svcd-between svcd-number">
        <label htmlFor={id}>{label}</label>
        <span>{format.percent(value)}</span>
      </div>
      <progress id={id} value={value} />
    </div>
  );
}

/** In the place of what a read has not brought: what went wrong, or that it is on its way. */
export function Unread({ query }: { readonly query: Pick<UseQueryResult<unknown>, 'error' | 'refetch'> }) {
  return query.error === null ? <Loading /> : <Problem error={query.error} onRetry={() => void query.refetch()} />;
}

interface ToastWords {
  readonly text: string;
  readonly tone?: 'good' | 'bad';
  /** Takes the change back, while the message is shown. */
  readonly onUndo?: () => void;
}

let toasts: readonly (ToastWords & { readonly id: string })[] = [];
const changed = new Listeners<void>();
const watch = (watcher: () => void) => changed.add(watcher);

function show(next: typeof toasts): void {
  toasts = next;
  changed.tell();
}

const close = (id: string) => show(toasts.filter((each) => each.id !== id));

const CLASS = 'svcd-toasts';
const LOOK_AGAIN_MS = 2_000;

/** Closes a message after a while, but none while the pointer or the focus is on one of them. */
function closeLater(id: string, ms: number): void {
  setTimeout(() => {
    if (document.querySelector(`.${CLASS}:is(:hover, :focus-within)`) === null) close(id);
    else closeLater(id, LOOK_AGAIN_MS);
  }, ms);
}

/** Says in passing that something was done: `toast({ text, onUndo })`. Errors stay until they are closed. @returns closes it */
export function toast(words: ToastWords): () => void {
  const id = newUuid();
  show([...toasts, { ...words, id }]);
  if (words.tone !== 'bad') closeLater(id, words.onUndo === undefined ? 5_000 : 10_000);
  return () => close(id);
}

export const shownToasts = () => toasts;

/** Above an open dialog, too: React Aria leaves what has its attribute alone. */
export function ToastRegion() {
  const shown = useSyncExternalStore(watch, shownToasts);
  return (
    <div className={CLASS} role="status" data-react-aria-top-layer>
      {shown.map(({ id, text, tone = 'good', onUndo }) => (
        <div key={id} className="svcd-toast" data-tone={tone}>
          <span>{text}</span>
          {onUndo !== undefined && (
            <Button
              kind="quiet"
              size="small"
              onPress={() => {
                onUndo();
                close(id);
              }}
              text={say('app.undo')}
            />
          )}
          <Button kind="quiet" size="small" icon={X} label={say('app.close')} onPress={() => close(id)} />
        </div>
      ))}
    </div>
  );
}
