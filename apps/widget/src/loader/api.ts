/**
 * What `widget.js` gives to an organiser's page: the global `Svc`, and events on the container. Published as
 * `widget.d.ts` beside the loader and as the types of this package; nothing here is there at run time.
 */

/**
 * How the widget looks and speaks. In markup: `data-svc-theme`, `data-svc-accent` and so on. What the page cannot use
 * it leaves out.
 */
export interface WidgetSettings {
  /** Light or dark; left out, as the guest's system has it. */
  readonly theme?: 'light' | 'dark';
  /** Colour of buttons and links, `#rrggbb`. */
  readonly accent?: string;
  /** Roundness of corners, CSS pixels. */
  readonly radius?: string;
  /** Names of fonts that the guest's device has, as in CSS; none is fetched. */
  readonly font?: string;
  /** BCP 47, one of those that the consent wording is in; left out, as the guest's browser asks for. */
  readonly language?: string;
}

/** A mounted widget. */
export interface WidgetHandle {
  /**
   * Takes the frame out of the container, and with it the camera's light. No event comes any more. A second call does
   * nothing.
   */
  unmount(): void;
}

export interface SvcWidget {
  /**
   * Puts the widget into an element, in the place of what is in it; of what was mounted there before, too.
   * @param token enrolment token, `svce_…`; one that is missing or of another kind is an `svc:error`
   * @throws TypeError where the container is no element
   */
  mount(container: HTMLElement, token: string, settings?: WidgetSettings): WidgetHandle;
}

/** `detail` of `svc:error`. */
export interface WidgetErrorDetail {
  /** In English, for the organiser's records; the guest is told in the widget. */
  readonly message: string;
}

declare global {
  /** Set by `widget.js`, which is loaded asynchronously: there once the script element's `load` event was. */
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
