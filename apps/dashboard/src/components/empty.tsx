import type { IconNode } from 'lucide';
import type { ReactNode } from 'react';
import { Icon } from './button.tsx';

export interface EmptyProps {
  /** What is not there yet. */
  readonly title: string;
  readonly icon?: IconNode;
  /** What it would be, and how to get it. */
  readonly children?: ReactNode;
  /** The button for the next step. */
  readonly action?: ReactNode;
}

/** A place with nothing in it yet, which teaches the next step. */
export function Empty({ title, icon, children, action }: EmptyProps) {
  return (
    <div className="svcd-empty">
      {icon !== undefined && <Icon of={icon} />}
      <p className="svcd-empty-title">{title}</p>
      {children !== undefined && <div className="svcd-muted">{children}</div>}
      {action}
    </div>
  );
}
