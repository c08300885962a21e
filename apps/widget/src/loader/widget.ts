/** Entry of `widget.js`, a classic script that organisers’ pages include. */

import { type SettingTexts, settingNames } from '../embed/address.ts';
import type { SvcWidget, WidgetHandle } from './api.ts';
import { type Frame, openFrame, type WidgetCalls } from './frame.ts';

/** Settings from `given`, then from the container's `data-svc-…` attributes. */
function settingsOf(container: Element, given: object): SettingTexts {
  const settings: Record<string, string> = {};
  for (const name of settingNames) {
    const value = (given as Record<string, unknown>)[name] ?? container.getAttribute(`data-svc-${name}`);
    if (value != null) settings[name] = String(value);
  }
  return settings;
}

const TOKEN = 'data-svc-token';
const SELECTOR = `div[${TOKEN}]`;
/** Marker on the window: a second loader does nothing. */
const INSTALLED = Symbol.for('svc.widget');

interface Mounted {
  readonly frame: Frame;
  readonly token: string;
}

const textOf = (token: unknown): string => (typeof token === 'string' ? token : '');

/** Address of the widget's page: the folder of the script, or what another host of the service says. @throws Error if no script element loaded this */
function pageOf(document: Document): URL {
  // The browser's own getter: an element named `currentScript` would shadow the property.
  const currentScriptOf = Object.getOwnPropertyDescriptor(Document.prototype, 'currentScript')?.get;
  const currentScript: unknown = currentScriptOf?.call(document);
  if (!(currentScript instanceof HTMLScriptElement) || currentScript.src === '')
    throw new Error('widget.js has to be included by <script src="…/widget.js" async>');
  return new URL('.', currentScript.dataset.svcPage ?? currentScript.src);
}

/**
 * Shows the widget in every `<div data-svc-token>`, including elements added later, and defines `Svc`. Once per page.
 */
function installLoader(window: Window & typeof globalThis, document: Document): void {
  if (INSTALLED in window) return;
  const page = pageOf(document);
  Object.defineProperty(window, INSTALLED, { value: true });
  const widgets = new Map<Element, Mounted>();

  function unmount(container: Element): void {
    widgets.get(container)?.frame.close();
    widgets.delete(container);
  }

  function open(container: HTMLElement, token: string, settings: object, calls: WidgetCalls = {}): Mounted {
    unmount(container);
    const mounted = { frame: openFrame(container, page, token, settingsOf(container, settings), calls), token };
    widgets.set(container, mounted);
    return mounted;
  }

  const svc: SvcWidget = {
    mount(container, token, options = {}): WidgetHandle {
      if (container?.nodeType !== Node.ELEMENT_NODE) throw new TypeError('Svc.mount: there is no element');
      let mounted = open(container, textOf(token), options, options);
      const isMounted = () => widgets.get(container) === mounted;
      return {
        unmount() {
          if (isMounted()) unmount(container);
        },
        reset(next = mounted.token) {
          if (isMounted()) mounted = open(container, textOf(next), options, options);
        },
      };
    },
  };

  /** Makes an element's widget match its attribute. */
  function review(container: HTMLElement): void {
    const token = container.getAttribute(TOKEN);
    if (token === null) unmount(container);
    else if (widgets.get(container)?.token !== token) open(container, token, {});
  }

  const reviewBelow = (root: ParentNode) => root.querySelectorAll<HTMLElement>(SELECTOR).forEach(review);

  new MutationObserver((records) => {
    for (const [container, { frame }] of widgets) if (frame.isGone()) unmount(container);
    for (const { type, target, addedNodes } of records) {
      if (type === 'attributes') {
        if (target.nodeName === 'DIV' && target.isConnected) review(target as HTMLElement);
      }
      for (const node of addedNodes) {
        // Compared by number: the element may belong to another window.
        if (node.nodeType !== Node.ELEMENT_NODE || !node.isConnected) continue;
        const element = node as HTMLElement;
        if (element.matches(SELECTOR)) review(element);
        reviewBelow(element);
      }
    }
  }).observe(document, { subtree: true, childList: true, attributeFilter: [TOKEN] });
  reviewBelow(document);

  // Not replaced if an element or other code already has this name. Not `Object.hasOwn`: a browser without it must get
  // as far as the `svc:error` event.
  if (Object.getOwnPropertyDescriptor(window, 'Svc') === undefined) {
    Object.defineProperty(window, 'Svc', { value: Object.freeze(svc) });
  }
}

installLoader(window, document);
