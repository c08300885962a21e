/**
 * What the loader and the page in its frame tell each other. The loader says hello to the frame when it has loaded, to
 * the widget's origin and no other, and hands over one end of a channel; the page takes the first hello of the window
 * around it. All else goes through the channel, which nobody else holds, from the page to the loader alone: there is no
 * message that makes the page do anything.
 *
 * Checked by hand at both ends, because the loader is counted in bytes. A message that is not one of these is no
 * message.
 */

/** Of the messages. Pages know the hello of every loader that a browser may still have. */
export const PROTOCOL_VERSION = 1;

export interface Hello {
  readonly svc: 'hello';
  readonly version: typeof PROTOCOL_VERSION;
}

/** What the page tells. */
export type FrameMessage =
  /** The answer to the hello. */
  | { readonly type: 'hello' }
  /** The consent step is shown. */
  | { readonly type: 'ready' }
  | { readonly type: 'enrolled' }
  | { readonly type: 'declined' }
  /** `text` is for the organiser, in English. */
  | { readonly type: 'error'; readonly text: string }
  /** The frame's accessible name, in the guest's language. */
  | { readonly type: 'title'; readonly text: string }
  /** What the page needs, whole CSS pixels. */
  | { readonly type: 'height'; readonly px: number }
  /** Another step is shown: its beginning has to be seen. */
  | { readonly type: 'show-top' };

const LONGEST_TEXT = 500;
/** No step is longer, and a frame that is taller than its page makes that one unusable. */
const TALLEST_PX = 10_000;

const fieldsOf = (data: unknown): Readonly<Record<string, unknown>> =>
  typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {};

/** Whether it is the hello of a loader that the page knows. */
export function isHello(data: unknown): data is Hello {
  const { svc, version } = fieldsOf(data);
  return svc === 'hello' && version === PROTOCOL_VERSION;
}

/** @returns the message, with the members that it must have and no other; null for whatever else */
export function readFrameMessage(data: unknown): FrameMessage | null {
  const { type, text, px } = fieldsOf(data);
  switch (type) {
    case 'hello':
    case 'ready':
    case 'enrolled':
    case 'declined':
    case 'show-top':
      return { type };
    case 'error':
    case 'title':
      return typeof text === 'string' && text.length <= LONGEST_TEXT ? { type, text } : null;
    case 'height':
      return typeof px === 'number' && px > 0 && px <= TALLEST_PX && px % 1 === 0 ? { type, px } : null;
    default:
      return null;
  }
}
