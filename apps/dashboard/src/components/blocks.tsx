import { Check, type IconNode } from 'lucide';
import { type CSSProperties, type ReactNode, useEffect, useId, useRef } from 'react';
import { type Right, useCan } from '../api/hooks.ts';
import { format, say, type TextKey, words } from '../text/index.ts';
import { Icon, Link, type Target } from './controls.tsx';

let isFirstPage = true;

export interface PageHeaderProps {
  /** The page's one `<h1>`, and the document's title. */
  readonly title: string;
  readonly lead?: ReactNode;
  readonly above?: ReactNode;
  readonly beside?: ReactNode;
  readonly actions?: ReactNode;
}

/** The head of a page. After a navigation its heading takes the focus, so that screen readers announce the page. */
export function PageHeader({ title, lead, above, beside, actions }: PageHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isFirstPage) isFirstPage = false;
    else heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <header className="svcd-page-header">
      <title>{`${title} · ${say('app.name')}`}</title>
      {above !== undefined && <p className="svcd-small">{above}</p>}
      <div className="svcd-row">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {beside}
        {actions !== undefined && <div className="svcd-row svcd-actions">{actions}</div>}
      </div>
      {lead !== undefined && <p className="svcd-muted">{lead}</p>}
    </header>
  );
}

export interface SectionProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  /** `danger`: holds what deletes. */
  readonly kind?: 'normal' | 'danger';
  /** Its heading takes the focus when it appears, which also brings it into view. */
  readonly takesFocus?: boolean;
  readonly children: ReactNode;
}

const focusOn = (element: HTMLElement | null) => element?.focus();
export function Section({ title, lead, actions, kind = 'normal', takesFocus = false, children }: SectionProps) {
  const id = useId();
  return (
    <section className="svcd-section svcd-panel" data-kind={kind} aria-labelledby={id}>
      <header className="svcd-row svcd-section-header">
        <div>
          <h2 id={id} {...(takesFocus && { ref: focusOn, tabIndex: -1 })}>
            {title}
          </h2>
          {lead !== undefined && <p className="svcd-muted">{lead}</p>}
        </div>
        {actions !== undefined && <div className="svcd-row svcd-actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** Properties of a thing by their names; what is null is left out. */
export function Facts({ facts }: { readonly facts: Partial<Record<TextKey, ReactNode>> }) {
  return (
    <dl className="svcd-facts svcd-columns">
      {(Object.entries(facts) as [TextKey, ReactNode][]).map(
        ([name, value]) =>
          value !== null && (
            <div key={name}>
              <dt>{say(name)}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

export const Figure = ({ of }: { readonly of: number }) => <span className="svcd-figure">{format.number(of)}</span>;

export interface EmptyProps {
  readonly title: string;
  readonly icon?: IconNode;
  readonly text?: ReactNode;
  readonly action?: ReactNode;
}

export function Empty({ title, icon, text, action }: EmptyProps) {
  return (
    <div className="svcd-empty">
      {icon !== undefined && <Icon of={icon} />}
      <p className="svcd-empty-title">{title}</p>
      {text !== undefined && <div className="svcd-muted">{text}</div>}
      {action}
    </div>
  );
}

export interface StepItem {
  /** Its title; a text `<key>-help` says what it is. */
  readonly of: TextKey;
  readonly isDone: boolean;
  readonly scope: Right;
  /** Null: below on the same page. */
  readonly to: Target | null;
}

/**
 * The steps that the person may take: what is left in its order, of which the next one stands out, and below it what is
 * done. Somebody without the right to take a step may lack what tells whether it is done.
 * @param ready in their place once all are done
 */
export function NextSteps({
  steps,
  ready = null,
}: {
  readonly steps: readonly StepItem[];
  readonly ready?: ReactNode;
}) {
  const can = useCan();
  const own = steps.filter(({ scope }) => can(scope));
  const left = own.filter(({ isDone }) => !isDone);
  if (left.length === 0) return own.length === 0 ? null : ready;
  return (
    <Section title={say('events.steps-left', { count: left.length })} lead={say('app.next-steps-lead')}>
      <ol className="svcd-steps svcd-plain">
        {[...left, ...own.filter(({ isDone }) => isDone)].map((step) => {
          const { label, help } = words(step.of);
          return (
            <li
              key={step.of}
              className="svcd-step"
              data-state={step.isDone ? 'done' : step === left[0] ? 'next' : 'open'}
            >
              <span className="svcd-step-mark">
                {step.isDone && <Icon of={Check} />}
                <span className="svc-visually-hidden">
                  {say(step.isDone ? 'events.step-done' : 'events.step-open')}
                </span>
              </span>
              <div>
                <p className="svcd-step-title">{step.to === null ? label : <Link {...step.to}>{label}</Link>}</p>
                {!step.isDone && <p className="svcd-muted">{help}</p>}
              </div>
            </li>
          );
        })}
      </ol>
    </Section>
  );
}

/** Style of what has the class `svcd-columns`: the least width of its columns, and how those of unlike height stand. */
export const inColumns = (width: string, align: 'start' | 'end' | 'stretch' = 'start'): CSSProperties =>
  ({ '--svcd-column': width, alignItems: align }) as CSSProperties;
