import { type ReactElement, type ReactNode, useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { say } from '../text/index.ts';
import { Button } from './controls.tsx';
import { Dialog } from './form.tsx';
import { Progress } from './status.tsx';

interface PaperDialogProps {
  readonly title: string;
  /** Of A4. The same elements are not drawn again. */
  readonly pages: readonly ReactElement[];
  readonly children: ReactNode;
}

/** Prints pages in place of the page that is shown. */
export function PaperDialog({ title, pages, children }: PaperDialogProps) {
  const [drawn, setDrawn] = useState(1);
  const isReady = drawn >= pages.length;
  useEffect(() => {
    // Each in a task of its own: what is on the screen goes on meanwhile.
    const timer = setTimeout(() => setDrawn(Math.min(pages.length, drawn + 1)));
    return () => clearTimeout(timer);
  }, [pages, drawn]);
  return (
    <>
      <Dialog
        title={title}
        actions={<Button kind="primary" isDisabled={!isReady} onPress={() => print()} text={say('print.do')} />}
      >
        {children}
        {!isReady && <Progress label={say('print.drawing')} value={drawn / pages.length} />}
      </Dialog>
      {createPortal(<div className="svcd-paper">{pages.slice(0, drawn)}</div>, document.body)}
    </>
  );
}

/** What is on each page. @returns see {@link PaperDialogProps} */
export const pagesOf = <Row,>(rows: readonly Row[], rowsOfPage: number, draw: (row: Row) => ReactNode, kind: string) =>
  Array.from({ length: Math.ceil(rows.length / rowsOfPage) }, (_, page) => (
    <div key={page} className={`svcd-paper-page ${kind}`}>
      {rows.slice(page * rowsOfPage, (page + 1) * rowsOfPage).map(draw)}
    </div>
  ));
