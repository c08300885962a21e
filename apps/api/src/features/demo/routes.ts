import type { Request, Router } from 'express';
import { isLoopbackHost } from '../../config/settings.ts';
import { mount } from '../../http/routing.ts';
import { ServiceError } from '../../platform/errors.ts';
import { STYLE_SOURCE } from '../openapi/style.ts';
import { DEMO_SCRIPT, renderDemoPage } from './page.ts';
import type { Demo } from './service.ts';

const PASSED_ON = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/**
 * The address that this machine called.
 * @throws ServiceError 'not-found' for whoever came from elsewhere, or through a proxy
 */
function localAddress(request: Request): URL {
  const address = `http://${request.headers.host ?? ''}`;
  const peer = request.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
  const isOwn = URL.canParse(address) && isLoopbackHost(new URL(address).hostname) && isLoopbackHost(peer);
  if (!isOwn || PASSED_ON.some((name) => request.headers[name] !== undefined)) throw new ServiceError('not-found');
  return new URL(address);
}

/**
 * The same service under the machine's other name, so that the widget is of another origin than the page, as in life.
 */
function widgetUrlFrom(address: URL): string {
  const url = new URL('/widget/', address);
  url.hostname = url.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
  return url.href;
}

/** An organiser's page to try the widget in, at `/demo`, for this machine alone. */
export function mountDemo(router: Router, o: { readonly demo: Demo }): void {
  mount(router, '/demo', {
    async get(request, response) {
      const widgetUrl = widgetUrlFrom(localAddress(request));
      const { origin } = new URL(widgetUrl);
      const policy = [
        "default-src 'none'",
        `script-src 'self' ${origin}`,
        `frame-src ${origin}`,
        `style-src ${STYLE_SOURCE}`,
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ].join('; ');
      response.set({ 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy });
      response.send(renderDemoPage(await o.demo.visit(), widgetUrl));
    },
  });
  mount(router, '/demo/demo.js', {
    get(request, response) {
      localAddress(request);
      response.type('text/javascript').send(DEMO_SCRIPT);
    },
  });
}
