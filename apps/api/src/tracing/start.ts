import { propagation } from '@opentelemetry/api';

/** Traces on their way to a collector. */
export interface Tracing {
  /** Sends what is pending, for at most a few seconds. Never rejects. */
  close(): Promise<void>;
}

const CLOSE_MS = 3_000;

/** True where OpenTelemetry's own settings ask for traces. */
function isWanted(environment: Readonly<Record<string, string | undefined>>): boolean {
  if (environment.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return false;
  const named = [environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, environment.OTEL_EXPORTER_OTLP_ENDPOINT];
  return named.some((endpoint) => endpoint !== undefined && endpoint.trim() !== '');
}

/**
 * Starts OpenTelemetry's SDK where `OTEL_EXPORTER_OTLP_ENDPOINT` (or `…_TRACES_ENDPOINT`) is set; else nothing of it is
 * even loaded. Sampler, headers, limits and timeouts are read by the SDK from its own `OTEL_…` settings. Once in a
 * process.
 * @returns null where nobody asked for traces
 */
export async function startTracing(environment: Readonly<Record<string, string | undefined>>): Promise<Tracing | null> {
  if (!isWanted(environment)) return null;
  const [{ BatchSpanProcessor, NodeTracerProvider }, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  // Neither host, process nor user: what a deployment wants to be called by stands in OTEL_RESOURCE_ATTRIBUTES.
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
