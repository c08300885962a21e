import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

/** A modal question; the browser keeps the focus inside and restores it afterwards. */
export function Dialog({
  title,
  onCancel,
  children,
}: {
  readonly title: string;
  /** Escape was pressed. */
  readonly onCancel: () => void;
  readonly children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="svc-dialog"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onCancel();
      }}
    >
      <div class="svc-dialog-body">
        <h2 id={titleId}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

/**
 * The frame of a screen. Its heading takes the focus when it appears, so that it is announced and keyboard users
 * continue from there.
 */
export function ScreenFrame({
  name,
  title,
  takesFocus = true,
  style,
  children,
}: {
  readonly name: string;
  readonly title: string;
  /** False for a screen that the user did not ask for: a page in an organiser's frame must not take the focus. */
  readonly takesFocus?: boolean;
  /** Custom properties for the screen's styles. */
  readonly style?: Readonly<Record<`--${string}`, string | number>>;
  readonly children?: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) heading.current?.focus({ preventScroll: true });
  }, [name]);
  return (
    <main class={`svc-screen screen-${name}`} data-screen={name} style={style}>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </main>
  );
}
