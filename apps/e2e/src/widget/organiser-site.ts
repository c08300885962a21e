import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { RecordedRequest } from '../wire/recorder.ts';

export interface OrganiserPage {
  /** Content of `<body>`. */
  readonly body: string;
  /** For a script: the whole body of the response. */
  readonly isScript?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A web site other than the service's: serves the pages of a test, and records all requests. */
export interface OrganiserSite {
  /** The origin, without a slash at its end. */
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** Adds or replaces a page. @param path begins with a slash @returns its address */
  put(path: string, page: OrganiserPage): string;
  close(): Promise<void>;
}

const toHtml = (body: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Your ticket</title></head>
<body>${body}</body></html>`;

export async function startOrganiserSite(): Promise<OrganiserSite> {
  const pages = new Map<string, OrganiserPage>();
  const requests: RecordedRequest[] = [];

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '/', rawHeaders } = request;
    requests.push({ method, target: url, rawHeaders, body: await buffer(request) });
    const page = pages.get(new URL(url, 'http://localhost').pathname);
    if (page === undefined) return void response.writeHead(404).end();
    const { body, headers, isScript = false } = page;
    const type = `text/${isScript ? 'javascript' : 'html'}; charset=utf-8`;
    response.writeHead(200, { 'content-type': type, ...headers }).end(isScript ? body : toHtml(body));
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    put(path, page) {
      pages.set(path, page);
      return url + path;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
