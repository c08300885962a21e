import { watchSize } from '@svc/page-kit';
import { type FrameMessage, isHello, readWindowHeight } from './messages.ts';

/** The page around the widget's frame. */
export type ParentPage = ReturnType<typeof connectToParent>;

type View = Pick<Window, 'parent' | 'addEventListener' | 'removeEventListener'>;

/**
 * Accepts the first hello that comes from the parent window, of any origin, because any organiser's page may frame the
 * widget. Other windows, frames inside and later hellos are ignored.
 * @param onHeight called with the height of the window around the frame, CSS pixels, at first and at every change
 */
export function connectToParent(view: View = window, onHeight: (px: number) => void = () => undefined) {
  const isThere = view.parent !== view;
  let port: MessagePort | null = null;
  let waiting: FrameMessage[] = [{ type: 'hello' }];

  function onMessage({ source, data, ports }: MessageEvent): void {
    const [given] = ports;
    if (source !== view.parent || given === undefined || !isHello(data)) return;
    view.removeEventListener('message', onMessage);
    port = given;
    port.onmessage = ({ data: told }) => {
      const px = readWindowHeight(told);
      if (px !== null) onHeight(px);
    };
    for (const message of waiting) port.postMessage(message);
    waiting = [];
  }

  if (isThere) view.addEventListener('message', onMessage);
  return {
    /** False for a guest link, where the page is the top window. */
    isThere,
    /** Sends to the loader. Messages before its hello are queued; without a loader they are dropped. */
    tell(message: FrameMessage): void {
      if (port !== null) port.postMessage(message);
      else if (isThere) waiting = [...waiting.filter(({ type }) => type !== message.type), message];
    },
  };
}

/** Reports an element's height to the loader, at first and at every change. */
export function followHeight(element: Element, parent: Pick<ParentPage, 'tell'>) {
  let toldPx = 0;
  /** Reports the current height now, if it has changed, instead of after the next layout. */
  function tell(): void {
    const px = Math.ceil(element.getBoundingClientRect().height);
    if (px === toldPx || px === 0) return;
    toldPx = px;
    parent.tell({ type: 'height', px });
  }
  watchSize(element, tell);
  return { tell };
}
