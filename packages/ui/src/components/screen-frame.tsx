import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** The frame of a screen: its heading takes the focus as it appears, so that it is read out and the keyboard goes on from there. */
export function ScreenFrame({
  name,
  title,
  takesFocus = true,
  children,
}: {
  readonly name: string;
  readonly title: string;
  /** False where nobody asked for the screen: a page in somebody else's frame does not take the focus from what is around it. */
  readonly takesFocus?: boolean;
  readonly children?: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) heading.current?.focus({ preventScroll: true });
  }, [name]);
  return (
    <main class={`svc-screen screen-${name}`} data-screen={name}>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </main>
  );
}
