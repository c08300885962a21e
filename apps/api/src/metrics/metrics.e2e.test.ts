import { describe, expect, inject, it } from 'vitest';
import { createList, enrolBody, enrolPerson } from '../testing/enrolment-fixture.ts';
import { oneNodeOnly, startTestApi } from '../testing/test-api.ts';
import { useApi } from '../testing/use-api.ts';

const CANARY = 'canary-7Q2M';
const {
  api,
  clock,
  inference,
  customer: owner,
} = useApi({
  environment: {
    ...oneNodeOnly('its metrics'),
    ...{ SVC_METRICS_PORT: '0', SVC_INFERENCE_WORKERS: '1', SVC_INFERENCE_QUEUE: '4' },
  },
});

const scrape = async () => {
  const response = await fetch(api.running.metricsUrl ?? '');
  expect(response.headers.get('content-type')).toContain('text/plain');
  return response.text();
};
/** Sum of the samples whose name and labels contain these texts. */
const sum = (page: string, ...parts: string[]) =>
  page
    .split('\n')
    .filter((line) => !line.startsWith('#') && parts.every((part) => line.includes(part)))
    .reduce((total, line) => total + Number(line.split(' ').at(-1)), 0);

describe('metrics', () => {
  it('are on a port of their own, on loopback, and nowhere else', async () => {
    const { metricsUrl } = api.running;
    expect(metricsUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
    expect(new URL(metricsUrl ?? '').port).not.toBe(new URL(api.url).port);
    expect((await fetch(`${api.url}/metrics`)).status).toBe(404);
    expect((await fetch(new URL('/', metricsUrl ?? ''))).status).toBe(404);
    expect((await fetch(metricsUrl ?? '', { method: 'POST' })).status).toBe(404);
  });

  it('count requests by route pattern, problems by code, photos by outcome', async () => {
    const listId = await createList(owner, { name: CANARY, ongoing: true });
    const enrol = (personId: string, image: string) =>
      enrolPerson(listId, enrolBody(clock, { personId, image }), owner);
    expect((await enrol(`${CANARY}-1`, 'a face')).status).toBe(201);
    expect((await enrol(`${CANARY}-2`, 'no-face')).status).toBe(422);
    expect((await enrol(`${CANARY}-3`, 'broken')).status).toBe(400);
    inference.places = 0;
    expect((await enrol(`${CANARY}-4`, 'a face')).status).toBe(503);
    inference.places = 10;
    expect((await owner.request('GET', `/v1/lists/${listId}/people/${CANARY}-9`)).status).toBe(404);

    const page = await scrape();
    const people = 'route="/v1/lists/:listId/people"';
    const count = 'svc_http_request_duration_seconds_count';
    expect(sum(page, count, people, 'status="201"', 'method="POST"')).toBe(1);
    expect(sum(page, count, 'route="/v1/lists/:listId/people/:personId"', 'status="404"')).toBe(1);
    expect(sum(page, 'svc_http_problems_total', 'code="no-face"')).toBe(1);
    expect(sum(page, 'svc_inference_task_duration_seconds_count', 'outcome="sealed"')).toBe(1);
    expect(sum(page, 'svc_inference_task_duration_seconds_count', 'outcome="no-face"')).toBe(1);
    expect(sum(page, 'svc_inference_stage_duration_seconds_count', 'stage="seal"')).toBe(3);
    expect(sum(page, 'svc_inference_refused_total')).toBe(1);
    expect(sum(page, 'svc_inference_places_taken')).toBe(0);
    expect(sum(page, 'svc_database_transaction_duration_seconds_count', 'outcome="committed"')).toBeGreaterThan(1);
    expect(sum(page, 'svc_database_pool_connections', 'state="free"')).toBeGreaterThan(0);
    expect(page).toContain('nodejs_eventloop_lag_seconds');
    expect(page).toContain('process_resident_memory_bytes');
  });

  it('tell what waits and what is taken while it lasts', async () => {
    const listId = await createList(owner);
    let letGo = () => {};
    inference.hold = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const sealed = inference.sealed;
    const enrolments = ['x', 'y', 'z'].map((personId) => enrolPerson(listId, enrolBody(clock, { personId }), owner));
    while (inference.sealed < sealed + 3) await new Promise((resolve) => setTimeout(resolve, 5));
    const page = await scrape();
    letGo();
    inference.hold = null;
    expect((await Promise.all(enrolments)).map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(sum(page, 'svc_inference_places 5')).toBe(5);
    expect(sum(page, 'svc_inference_places_taken')).toBe(3);
    expect(sum(page, 'svc_inference_queue_length')).toBe(2);
    expect(sum(page, 'svc_http_requests_in_progress')).toBe(3);
  });

  it('have no label that names a person', async () => {
    const device = await owner.request('POST', `/v1/lists/${await createList(owner)}/devices`, { name: CANARY });
    const strange = await fetch(`${api.url}/v1/${CANARY}?personId=${CANARY}`, { method: 'PROPFIND' });
    expect([device.status, strange.status]).toEqual([201, 404]);
    const page = await scrape();
    expect(page).not.toContain(CANARY);
    expect(page).not.toMatch(/(acc|key|evt|lst|dev|mdl|tok|whk)_[0-9a-z]{26}|svc[ktedsl]_/);
    expect(sum(page, 'svc_http_request_duration_seconds_count', 'method="other"', 'route="none"')).toBe(1);
    const labels = new Set([...page.matchAll(/([a-z_]+)="/g)].map(([, name]) => name));
    // A scrape gives the last two to its target.
    for (const name of ['account', 'list', 'device', 'person', 'path', 'url', 'job', 'instance'])
      expect(labels).not.toContain(name);
  });
});

it('opens no port by default', async () => {
  const quiet = await startTestApi(inject('postgres'), { clock, createInference: () => inference });
  expect(quiet.running.metricsUrl).toBeNull();
  await quiet.close();
});
