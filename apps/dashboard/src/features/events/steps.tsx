import { Check } from 'lucide';
import type { ReactNode } from 'react';
import { useSay } from '../../app/language.tsx';
import { Icon } from '../../components/button.tsx';
import { Link, type Target } from '../../components/link.tsx';

export interface StepItem {
  readonly key: string;
  readonly isDone: boolean;
  readonly title: string;
  readonly text: ReactNode;
  /** Null: below on the same page. */
  readonly to: Target | null;
}

/** What is done and what comes next; the first that is open stands out. */
export function Steps({ steps }: { readonly steps: readonly StepItem[] }) {
  const say = useSay();
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <ol className="svcd-steps">
      {steps.map((step) => (
        <li key={step.key} className="svcd-step" data-state={step.isDone ? 'done' : step === next ? 'next' : 'open'}>
          <span className="svcd-step-mark">
            {step.isDone && <Icon of={Check} />}
            <span className="svc-visually-hidden">{say(step.isDone ? 'events.step-done' : 'events.step-open')}</span>
          </span>
          <div>
            <p className="svcd-step-title">{step.to === null ? step.title : <Link {...step.to}>{step.title}</Link>}</p>
            <p className="svcd-muted">{step.text}</p>
          </div>
        </li>
      ))}
    </ol>
  );
}
