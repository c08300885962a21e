/**
 * Messages between the loader and the page in its frame. When the frame has loaded, the loader sends a hello to it,
 * addressed to the widget's origin only, and with it one end of a message channel. The page accepts the first hello
 * from its parent window. All other messages go through the channel, from the page to the loader, except for the height
 * of the window around the frame: no message makes the page do anything.
 *
 * Both ends check messages by hand, to keep the loader small. Unknown messages are ignored.
 */

/** Version of the messages. Pages accept the hello of every loader that a browser may still have cached. */
export const PROTOCOL_VERSION = 1;

export interface Hello {
  readonly svc: 'hello';
  readonly version: typeof PROTOCOL_VERSION;
}

/** Messages of the page. */
export type FrameMessage =
  /** The answer to the hello. */
  | { readonly type: 'hello' }
  /** The consent step is shown. */
  | { readonly type: 'ready' }
  | { readonly type: 'enrolled' }
  | { readonly type: 'declined' }
  /** `text` is for the organiser, in English. `expired`: the token has, so a new one helps. */
  | { readonly type: 'error'; readonly text: string; readonly expired: boolean }
  /** The frame's accessible name, in the guest's language. */
  | { readonly type: 'title'; readonly text: string }
  /** Height that the page needs, whole CSS pixels. */
  | { readonly type: 'height'; readonly px: number }
  /**
   * Another step is shown, or the camera's picture is out of view: the loader scrolls its frame into view, from so many
   * CSS pixels below its top. Older loaders scroll to the top.
   */
  | { readonly type: 'show-top'; readonly px: number }
  /** The page's colour scheme, which the brand set: the frame needs the same one to be transparent. */
  | { readonly type: 'theme'; readonly theme: 'light' | 'dark' };

/** The loader's message: the height of the window around the frame, CSS pixels. */
export interface WindowMessage {
  readonly type: 'window';
  readonly px: number;
}

const LONGEST_TEXT = 500;
/** Higher than any step: a taller frame would make the organiser's page unusable. */
const TALLEST_PX = 10_000;

const isText = (text: unknown): text is string => typeof text === 'string' && text.length <= LONGEST_TEXT;
const isWholePx = (px: unknown): px is number => typeof px === 'number' && px >= 0 && px <= TALLEST_PX && px % 1 === 0;

const fieldsOf = (data: unknown): Readonly<Record<string, unknown>> =>
  typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {};

/** Whether it is the hello of a known loader. */
export function isHello(data: unknown): data is Hello {
  const { svc, version } = fieldsOf(data);
  return svc === 'hello' && version === PROTOCOL_VERSION;
}

/** The height in a message of the loader, at least 1 px; null for anything else. */
export function readWindowHeight(data: unknown): number | null {
  const { type, px } = fieldsOf(data);
  return type === 'window' && isWholePx(px) && px > 0 ? px : null;
}

/** @returns the message with its known members only; null for anything else */
export function readFrameMessage(data: unknown): FrameMessage | null {
  const { type, text, px, expired, theme } = fieldsOf(data);
  switch (type) {
    case 'hello':
    case 'ready':
    case 'enrolled':
    case 'declined':
      return { type };
    case 'show-top':
      return { type, px: isWholePx(px) ? px : 0 };
    case 'error':
      return isText(text) ? { type, text, expired: expired === true } : null;
    case 'title':
      return isText(text) ? { type, text } : null;
    case 'theme':
      return theme === 'light' || theme === 'dark' ? { type, theme } : null;
    case 'height':
      return isWholePx(px) && px > 0 ? { type, px } : null;
    default:
      return null;
  }
}
