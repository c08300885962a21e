import { CircleCheck, Info, TriangleAlert } from 'lucide';
import type { ReactNode } from 'react';
import { Icon } from './button.tsx';

const icons = { info: Info, good: CircleCheck, warning: TriangleAlert, bad: TriangleAlert };

export interface NoticeProps {
  readonly tone?: keyof typeof icons;
  readonly title?: string;
  readonly action?: ReactNode;
  readonly children?: ReactNode;
}

/** Something to know about the page, beside its content. */
export function Notice({ tone = 'info', title, action, children }: NoticeProps) {
  return (
    <div className="svcd-notice" data-tone={tone} role="note">
      <Icon of={icons[tone]} />
      <div>
        {title !== undefined && <p className="svcd-notice-title">{title}</p>}
        {children}
      </div>
      {action}
    </div>
  );
}
