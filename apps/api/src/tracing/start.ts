import { propagation } from '@opentelemetry/api';

/** A running trace exporter. */
export interface Tracing {
  /** Sends pending traces, for a few seconds at most. Never rejects. */
  close(): Promise<void>;
}

const CLOSE_MS = 3_000;

/** True when OpenTelemetry's own settings enable traces. */
function isWanted(environment: Readonly<Record<string, string | undefined>>): boolean {
  if (environment.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return false;
  const named = [environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, environment.OTEL_EXPORTER_OTLP_ENDPOINT];
  return named.some((endpoint) => endpoint !== undefined && endpoint.trim() !== '');
}

/**
 * Starts OpenTelemetry's SDK when `OTEL_EXPORTER_OTLP_ENDPOINT` (or `…_TRACES_ENDPOINT`) is set; otherwise does not
 * load it. The SDK reads sampler, headers, limits and timeouts from its own `OTEL_…` settings. Once per process.
 * @returns null when traces are not enabled
 */
export async function startTracing(environment: Readonly<Record<string, string | undefined>>): Promise<Tracing | null> {
  if (!isWanted(environment)) return null;
  const [{ BatchSpanProcessor, NodeTracerProvider }, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  // Without host, process and user: OTEL_RESOURCE_ATTRIBUTES names a deployment.
  const named = resources.detectResources({ detectors: [resources.envDetector] });
  const provider = new NodeTracerProvider({
    resource: resources
      .resourceFromAttributes({ 'service.name': environment.OTEL_SERVICE_NAME ?? 'svc-api' })
      .merge(named),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  return {
    async close() {
      propagation.disable();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSE_MS);
      });
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
      clearTimeout(timer);
    },
  };
}
