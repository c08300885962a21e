import { readFileSync } from 'node:fs';
import { isKeyed, isStream, type Operation, operations, validateBody } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { createFakeService, json, problem } from './testing/fake-service.ts';

const ours = operations.filter((operation) => operation.security === 'apiKey' && !isStream(operation));
/** Methods that call the same operation in another way. */
const OTHER_WAYS: Readonly<Record<string, string>> = { exportConsents: 'listConsents' };
const parametersIn = (operation: Operation, where: string) =>
  operation.parameters.filter((parameter) => parameter.in === where).map(({ name }) => name);
const methodsOf = (client: object) => client as Readonly<Record<string, (...args: unknown[]) => PromiseLike<unknown>>>;

type Body = Record<string, unknown>;

/** Arguments of a method: what the path names, the body with its photo as the client takes it, the query. */
function argumentsOf(path: string, query: object, body: Body | undefined): unknown[] {
  const toGiven = ({ imageBase64, people, ...rest }: Body): unknown => {
    if (Array.isArray(people)) return people.map(toGiven);
    return imageBase64 === undefined ? rest : { ...rest, image: { base64: imageBase64 } };
  };
  const given = toGiven(body ?? {});
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `${name}/1`);
  return [...inPath, ...(body ? [given] : []), ...(Object.keys(query).length > 0 ? [query] : [])];
}

const answerOf = (status: number, answer: object) =>
  status === 204 ? new Response(null, { status }) : json(answer, status);

describe('the client against the OpenAPI document', () => {
  it('has a method for every operation of the organiser’s server, and no other', () => {
    const { client } = createFakeService([]);
    const methods = Object.keys(client).filter((name) => !(name in OTHER_WAYS));
    expect(methods.sort()).toEqual(ours.map((operation) => operation.operationId).sort());
    for (const operationId of Object.values(OTHER_WAYS)) expect(methods).toContain(operationId);
  });

  it.each(ours.map((operation) => [operation.operationId, operation] as const))('sends %s', async (id, operation) => {
    const { client, sent } = createFakeService([answerOf(operation.success.status, { answer: id })]);
    const query = Object.fromEntries(parametersIn(operation, 'query').map((name) => [name, `${name}/1`]));
    const body = operation.request?.example as Body | undefined;
    const answer = await methodsOf(client)[id]?.(...argumentsOf(operation.path, query, body));
    expect(answer).toEqual(operation.success.status === 204 ? undefined : { answer: id });
    const [request] = sent;
    expect(sent).toHaveLength(1);
    expect(request?.method).toBe(operation.method.toUpperCase());
    expect(request?.url.pathname).toBe(operation.path.replaceAll(/\{(\w+)\}/g, '$1%2F1'));
    expect(Object.fromEntries(request?.url.searchParams ?? [])).toEqual(query);
    expect(request?.headers.get('idempotency-key')).toBe(isKeyed(operation) ? 'key-1' : null);
    expect(request?.body === null || request?.body === undefined ? undefined : JSON.parse(request.body)).toEqual(body);
  });

  it('sends an object of a query key by key', async () => {
    const { client, sent } = createFakeService([json({ items: [], nextCursor: null })]);
    await client.listEvents({ state: 'over', metadata: { 'seat no.': '14&C', tier: 'vip' } });
    expect(sent[0]?.url.search).toBe('?state=over&metadata%5Bseat+no.%5D=14%26C&metadata%5Btier%5D=vip');
  });
});

/** What the release before had, with the examples of its document: one operation a line. */
interface Former {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly body?: Body;
  readonly status: number;
  readonly answer: object;
}
const recorded = readFileSync(new URL('testing/release-0.2.ndjson', import.meta.url), 'utf8');
const former = (recorded.match(/.+/g) ?? []).map((line) => JSON.parse(line) as Former);
/** Fields that the types of answers require and 0.2 did not have; what comes later is optional there. */
const REQUIRED_SINCE = ['benefit', 'delivery', 'deviceId', 'place', 'token'];

/** Fields of an answer that another one of the same operation lacks, or has as another type. */
function lacking(answer: unknown, other: unknown, at = ''): string[] {
  if (answer === null || other === null) return [];
  if (typeof answer !== typeof other || Array.isArray(answer) !== Array.isArray(other)) return [at];
  if (typeof answer !== 'object') return [];
  const [one, two] = [answer as Body, other as Body];
  // The first of several says what all are.
  const names = Array.isArray(answer) ? Object.keys(one).slice(0, Object.keys(two).length && 1) : Object.keys(one);
  return names.flatMap((name) => lacking(one[name], two[name], `${at}/${name}`));
}

describe.each(former.map((each) => [each.operationId, each] as const))('%s of 0.2', (id, { answer, ...was }) => {
  const operation = ours.find(({ operationId }) => operationId === id) as Operation;

  it('is called by this client, which takes what it answered', async () => {
    const { client, sent } = createFakeService([answerOf(was.status, answer)]);
    const query = Object.fromEntries(was.query.map((name) => [name, `${name}/1`]));
    const read = await methodsOf(client)[id]?.(...argumentsOf(was.path, query, was.body));
    expect(read).toEqual(answer);
    expect(sent[0]?.method).toBe(was.method.toUpperCase());
    expect(sent[0]?.url.pathname).toBe(was.path.replaceAll(/\{(\w+)\}/g, '$1%2F1'));
    const typed = operation.success.schema?.safeParse(answer);
    const wrong = typed?.error?.issues.map(({ path }) => String(path.at(-1))) ?? [];
    expect(wrong.filter((name) => !REQUIRED_SINCE.includes(name))).toEqual([]);
  });

  it('calls this service, which takes all and answers no less', () => {
    const { method, path, success, request } = operation;
    expect([method, path, success.status]).toEqual([was.method, was.path, was.status]);
    expect(parametersIn(operation, 'query')).toEqual(expect.arrayContaining([...was.query]));
    if (request !== undefined) {
      expect(validateBody(request.schema, was.body ?? {})).toMatchObject({ ok: true });
      expect(was.body !== undefined || request.required === false).toBe(true);
    }
    expect(lacking(answer, success.example)).toEqual([]);
  });
});

it('what an older service lacks is refused in its own words, and what a newer one adds is passed on', async () => {
  const replies = (['not-found', 'method-not-allowed', 'unknown-parameter'] as const).map((code) => problem(code));
  const later = { status: 409, headers: { 'Content-Type': 'application/problem+json' } };
  const refusal = new Response(JSON.stringify({ code: 'a-later-code', requestId: 'req_1' }), later);
  const { client } = createFakeService([...replies, refusal, json({ later: true })]);
  await expect(client.getAccount()).rejects.toMatchObject({ code: 'not-found', retryable: false });
  await expect(client.updateApiKey('key_1', { name: 'x' })).rejects.toMatchObject({ code: 'method-not-allowed' });
  await expect(client.createList({ name: 'x', metadata: {} })).rejects.toMatchObject({ code: 'unknown-parameter' });
  await expect(client.getList('lst_1')).rejects.toMatchObject({ code: 'a-later-code' });
  expect(await client.getList('lst_1')).toEqual({ later: true });
});
