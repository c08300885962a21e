import { type ReactNode, useEffect, useRef } from 'react';
import { useSay } from '../app/language.tsx';

let isFirstPage = true;

export interface PageHeaderProps {
  /** The page's one `<h1>`, and the document's title. */
  readonly title: string;
  /** What the page is for, in a sentence. */
  readonly lead?: ReactNode;
  /** A link to the page above. */
  readonly above?: ReactNode;
  /** Beside the title, such as a badge. */
  readonly beside?: ReactNode;
  /** Buttons at the end. */
  readonly actions?: ReactNode;
}

/** The head of a page. After a navigation its heading takes the focus, so that screen readers announce the page. */
export function PageHeader({ title, lead, above, beside, actions }: PageHeaderProps) {
  const say = useSay();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isFirstPage) isFirstPage = false;
    else heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <header className="svcd-page-header">
      <title>{`${title} · ${say('app.name')}`}</title>
      {above !== undefined && <p className="svcd-above">{above}</p>}
      <div className="svcd-page-title">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {beside}
        {actions !== undefined && <div className="svcd-actions">{actions}</div>}
      </div>
      {lead !== undefined && <p className="svcd-lead">{lead}</p>}
    </header>
  );
}
