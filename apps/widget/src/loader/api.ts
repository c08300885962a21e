/**
 * What `widget.js` gives to an organiser's page: the global `Svc`, and events on the container. Types only, published
 * as `widget.d.ts` beside the loader and as the types of this package.
 */

/**
 * Looks and language of the widget. In markup: `data-svc-theme`, `data-svc-accent` and so on. Invalid values are
 * ignored.
 */
export interface WidgetSettings {
  /** Light or dark. Default: the guest's system setting. */
  readonly theme?: 'light' | 'dark';
  /** Colour of buttons and links, `#rrggbb`. */
  readonly accent?: string;
  /** Roundness of corners, CSS pixels. */
  readonly radius?: string;
  /** Names of installed fonts, as in CSS; no fonts are fetched. */
  readonly font?: string;
  /** BCP 47, one of the consent wording's languages. Default: the guest's browser setting. */
  readonly language?: string;
}

/** Settings of `Svc.mount`: looks, and functions to call instead of listening to events. */
export interface MountOptions extends WidgetSettings {
  /** As `svc:ready`. */
  readonly onReady?: () => void;
  /** As `svc:enrolled`. */
  readonly onEnrolled?: () => void;
  /** As `svc:declined`. */
  readonly onDeclined?: () => void;
  /** As `svc:error`. */
  readonly onError?: (detail: WidgetErrorDetail) => void;
  /** After `onError`, if the token has expired: get a new one from your server, and call `reset` with it. */
  readonly onExpired?: () => void;
}

/** A mounted widget. */
export interface WidgetHandle {
  /**
   * Removes the frame from the container and so switches the camera off. No events follow. A second call does nothing.
   */
  unmount(): void;
  /**
   * Starts over, by default with the same token. Does nothing once the widget is unmounted or another one is mounted in
   * the container.
   */
  reset(token?: string): void;
}

export interface SvcWidget {
  /**
   * Puts the widget into an element, replacing its content and any widget mounted there.
   * @param token enrolment token, `svce_…`; a missing or malformed one causes an `svc:error`
   * @throws TypeError if the container is not an element
   */
  mount(container: HTMLElement, token: string, options?: MountOptions): WidgetHandle;
}

/** `detail` of `svc:error`. */
export interface WidgetErrorDetail {
  /** English text for the organiser's logs; the guest is informed in the widget. */
  readonly message: string;
}

declare global {
  /** Set by `widget.js`, which loads asynchronously: available after the script element's `load` event. */
  var Svc: SvcWidget;

  /** Fired on the container; they bubble. */
  interface HTMLElementEventMap {
    /** The widget loaded and shows the consent step. */
    'svc:ready': CustomEvent<null>;
    /** The guest is enrolled for face check-in. */
    'svc:enrolled': CustomEvent<null>;
    /** The guest chose the standard entrance. */
    'svc:declined': CustomEvent<null>;
    /** The token was invalid or expired, or the widget cannot be shown in this page. */
    'svc:error': CustomEvent<WidgetErrorDetail>;
  }
}
