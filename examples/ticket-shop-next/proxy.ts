// The content security policy: scripts of Next.js by a nonce, and the widget's frame.
import { type NextRequest, NextResponse } from 'next/server';
import { widgetUrl } from './app/shop';

export function proxy(request: NextRequest) {
  const policy = [
    `default-src 'none'; script-src 'nonce-${crypto.randomUUID()}' 'strict-dynamic'; frame-src ${widgetUrl.origin}`,
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  ].join('; ');
  // Next.js reads the nonce from the request.
  const headers = new Headers(request.headers);
  headers.set('Content-Security-Policy', policy);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set('Content-Security-Policy', policy);
  return response;
}
