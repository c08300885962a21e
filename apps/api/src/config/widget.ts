import { isLoopbackHost } from './loopback.ts';

/** Where the pages live that browsers load from elsewhere. */
export interface WidgetConfig {
  /** Address of the widget's page, without a fragment: a guest link is this and the token behind a `#`. */
  readonly url: string;
  /** Origins of check-in apps that run in a browser. */
  readonly kioskOrigins: readonly string[];
}

/** https, or plain HTTP on the machine itself. */
function parsePage(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
  const isPlain = url.username === '' && url.password === '' && url.search === '' && !text.includes('#');
  return isSafe && isPlain ? url : null;
}

/** The origin of a page, as browsers send it. */
export function originOf(page: string): string {
  return new URL(page).origin;
}

/**
 * SVC_WIDGET_URL, SVC_KIOSK_ORIGINS (separated by commas).
 * @param fallbackUrl where the widget is on a developer's machine
 * @param refuse throws for a setting that is wrong
 */
export function readWidgetConfig(o: {
  readonly text: (name: string) => string | undefined;
  readonly refuse: (message: string) => never;
  readonly fallbackUrl: string;
}): WidgetConfig {
  const url = parsePage(o.text('SVC_WIDGET_URL') ?? o.fallbackUrl);
  if (url === null) o.refuse('SVC_WIDGET_URL must be an https:// address without query and fragment');
  const kioskOrigins = (o.text('SVC_KIOSK_ORIGINS') ?? '').split(',').flatMap((part) => {
    const text = part.trim();
    if (text === '') return [];
    const page = parsePage(text);
    if (page === null || page.pathname !== '/')
      o.refuse('SVC_KIOSK_ORIGINS must be https:// origins, separated by commas');
    return [page.origin];
  });
  return { url: url.href, kioskOrigins };
}
