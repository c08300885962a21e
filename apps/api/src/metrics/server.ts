import { createServer } from 'node:http';
import type { PrometheusMetrics } from './prometheus.ts';

export interface MetricsServer {
  /** `http://host:port/metrics` */
  readonly url: string;
  close(): Promise<void>;
}

const PATH = '/metrics';

/**
 * Serves the metrics on a port of their own, so that no rule of a proxy has to keep them from the outside.
 * @param port 0 for any free one
 * @throws Error when the port is taken
 */
export async function startMetricsServer(
  metrics: Pick<PrometheusMetrics, 'contentType' | 'render'>,
  host: string,
  port: number,
): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
    if ((request.url ?? '').split('?', 1)[0] !== PATH || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404).end();
      return;
    }
    metrics.render().then(
      (page) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(page),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the metrics server has no port');
  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${shownHost}:${address.port}${PATH}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
