import { type ReactNode, useId } from 'react';

export interface SectionProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  /** `danger`: holds what deletes. */
  readonly kind?: 'normal' | 'danger';
  readonly children: ReactNode;
}

/** A part of a page with a heading, on a card. */
export function Section({ title, lead, actions, kind = 'normal', children }: SectionProps) {
  const id = useId();
  return (
    <section className="svcd-section" data-kind={kind} aria-labelledby={id}>
      <header className="svcd-section-header">
        <div>
          <h2 id={id}>{title}</h2>
          {lead !== undefined && <p className="svcd-muted">{lead}</p>}
        </div>
        {actions !== undefined && <div className="svcd-actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
