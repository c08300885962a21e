import { SpanStatusCode } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createList, enrolBody, enrolPerson } from '../testing/enrolment-fixture.ts';
import { createLogSink } from '../testing/test-api.ts';
import { useApi } from '../testing/use-api.ts';
import { startTracing } from './start.ts';

const CANARY = 'canary-8W3N';
const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const log = createLogSink();
provider.register();
const { api, clock, customer: owner } = useApi({ logDestination: log });
afterAll(() => provider.shutdown());
beforeEach(() => exporter.reset());

/** The spans of a request, after its root span has ended, which is after the answer. */
async function spansOf(route: string): Promise<{ request: ReadableSpan; all: ReadableSpan[] }> {
  for (;;) {
    const spans = exporter.getFinishedSpans();
    const request = spans.find((span) => span.attributes['http.route'] === route);
    if (request !== undefined) {
      const { traceId } = request.spanContext();
      return { request, all: spans.filter((span) => span.spanContext().traceId === traceId) };
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('traces', () => {
  it('show an enrolment’s way: the request, the photo’s stages, the transaction', async () => {
    const listId = await createList(owner);
    await spansOf('/v1/lists');
    exporter.reset();
    expect((await enrolPerson(listId, enrolBody(clock, { personId: CANARY }), owner)).status).toBe(201);
    const { request, all } = await spansOf('/v1/lists/:listId/people');
    expect(request.name).toBe('POST /v1/lists/:listId/people');
    expect(request.attributes).toMatchObject({ 'http.request.method': 'POST', 'http.response.status_code': 201 });
    const inference = all.find((span) => span.name === 'inference');
    expect(inference?.attributes).toEqual({ 'svc.outcome': 'sealed' });
    expect(inference?.parentSpanContext?.spanId).toBe(request.spanContext().spanId);
    const stages = all.filter((span) => span.parentSpanContext?.spanId === inference?.spanContext().spanId);
    expect(stages.map((span) => span.name)).toEqual([
      'inference.wait',
      'inference.decode',
      'inference.analyse',
      'inference.seal',
    ]);
    const transaction = all.find((span) => span.name === 'database.transaction');
    expect(transaction?.attributes).toEqual({ 'db.system.name': 'postgresql' });
    expect(transaction?.status.code).toBe(SpanStatusCode.UNSET);
  });

  it('go on with a caller’s traceparent and are found by log lines', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const headers = { 'X-Api-Key': owner.apiKey, traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    await fetch(`${api.url}/v1/events`, { headers });
    const { request } = await spansOf('/v1/events');
    expect(request.spanContext().traceId).toBe(traceId);
    expect(request.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
    expect(log.text).toContain(`"traceId":"${traceId}"`);
  });

  it.each(['', 'canary', '00-00000000000000000000000000000000-b7ad6b7169203331-01'])(
    'begin anew where traceparent is %j',
    async (traceparent) => {
      await fetch(`${api.url}/v1/events`, { headers: { 'X-Api-Key': owner.apiKey, traceparent } });
      expect((await spansOf('/v1/events')).request.parentSpanContext).toBeUndefined();
    },
  );

  it('hold nothing of what was sent, whatever came of it', async () => {
    const listId = await createList(owner, { name: CANARY, ongoing: true });
    const headers = {
      'X-Api-Key': owner.apiKey,
      'User-Agent': CANARY,
      tracestate: `${CANARY.toLowerCase()}=1`,
      baggage: `user=${CANARY}`,
      traceparent: '00-0af7651916cd43dd8448eb211c80319d-b7ad6b7169203331-01',
    };
    const send = (path: string, init: RequestInit = {}) => fetch(api.url + path, { headers, ...init });
    for (const image of ['a face', 'no-face', 'broken']) {
      await enrolPerson(listId, enrolBody(clock, { personId: CANARY, image }), owner);
    }
    await send(`/v1/lists/${listId}/people/${CANARY}?personId=${CANARY}`);
    await send(`/v1/lists/${CANARY}?cursor=${CANARY}`);
    await send(`/${CANARY}/%00`);
    await send('/v1/lists', { method: 'POST', body: `{"name":"${CANARY}"` });
    await send(`/v1/lists/${listId}/people/${CANARY}`, { method: 'DELETE' });
    await spansOf('/v1/lists/:listId/people/:personId');
    const spans = exporter.getFinishedSpans();
    expect(spans.length).toBeGreaterThan(10);
    const exported = JSON.stringify(
      spans.map(({ name, attributes, events, links, status }) => [name, attributes, events, links, status]),
    );
    const states = spans.map((span) => span.spanContext().traceState?.serialize() ?? '');
    expect(`${exported}${states.join('')}`.toLowerCase()).not.toContain(CANARY.toLowerCase());
    expect(exported).not.toContain(owner.apiKey);
    expect(exported).not.toContain(listId);
    expect(log.text).not.toContain(CANARY);
  });

  it('leave out what balancers ask', async () => {
    await fetch(`${api.url}/healthz`);
    await fetch(`${api.url}/v1/openapi.json`);
    await spansOf('/v1/openapi.json');
    expect(exporter.getFinishedSpans().map((span) => span.name)).not.toContain('GET /healthz');
  });
});

it('are not started unless OpenTelemetry’s own settings ask for them', async () => {
  expect(await startTracing({})).toBeNull();
  expect(await startTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' })).toBeNull();
  const endpoint = 'http://127.0.0.1:9';
  expect(await startTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'true' })).toBeNull();
  const tracing = await startTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  expect(tracing).not.toBeNull();
  await tracing?.close();
});
