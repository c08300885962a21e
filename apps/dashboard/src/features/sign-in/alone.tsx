import type { ReactNode } from 'react';
import { PageHeader } from '../../components/page-header.tsx';

/** A page before the sign-in: one card in the middle. */
export function Alone({
  title,
  lead,
  children,
}: {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <main className="svcd-alone">
      <div className="svcd-alone-card">
        <span className="svcd-mark svcd-mark-large" aria-hidden="true" />
        <PageHeader title={title} lead={lead} />
        {children}
      </div>
    </main>
  );
}
