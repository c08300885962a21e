import { type FrameMessage, isHello } from './messages.ts';

/** The page around the widget's, as far as the widget's has to do with it. */
export interface ParentPage {
  /** False for a guest link: the page is alone in its window. */
  readonly isThere: boolean;
  /** Tells the loader. What is told before the loader said hello is kept for it; without a loader it goes nowhere. */
  tell(message: FrameMessage): void;
  /** Stops listening, for tests. */
  close(): void;
}

type View = Pick<Window, 'parent' | 'addEventListener' | 'removeEventListener'>;

/**
 * Waits for the hello of the page around this one: the first that comes from the window that has the frame, whatever
 * its origin, since any organiser's page may. Windows elsewhere, frames inside and later hellos are not listened to.
 */
export function connectToParent(view: View = window): ParentPage {
  const isThere = view.parent !== view;
  let port: MessagePort | null = null;
  let waiting: FrameMessage[] = [{ type: 'hello' }];

  function onMessage({ source, data, ports }: MessageEvent): void {
    const [given] = ports;
    if (source !== view.parent || given === undefined || !isHello(data)) return;
    view.removeEventListener('message', onMessage);
    port = given;
    for (const message of waiting) port.postMessage(message);
    waiting = [];
  }

  if (isThere) view.addEventListener('message', onMessage);
  return {
    isThere,
    tell(message) {
      if (port !== null) port.postMessage(message);
      else if (isThere) waiting = [...waiting.filter(({ type }) => type !== message.type), message];
    },
    close() {
      view.removeEventListener('message', onMessage);
      port?.close();
    },
  };
}

/** Tells the loader how tall an element is, now and whenever that changes. @returns ends it */
export function followHeight(element: Element, parent: Pick<ParentPage, 'tell'>): () => void {
  let toldPx = 0;
  const observer = new ResizeObserver(() => {
    const px = Math.ceil(element.getBoundingClientRect().height);
    if (px === toldPx || px === 0) return;
    toldPx = px;
    parent.tell({ type: 'height', px });
  });
  observer.observe(element);
  return () => observer.disconnect();
}
