import { isStream, type Operation, operations } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { createFakeService, json } from './testing/fake-service.ts';

const ours = operations.filter((operation) => operation.security === 'apiKey' && !isStream(operation));
/** Methods that call the same operation in another way. */
const OTHER_WAYS: Readonly<Record<string, string>> = { exportConsents: 'listConsents' };
const parametersIn = (operation: Operation, where: string) =>
  operation.parameters.filter((parameter) => parameter.in === where).map(({ name }) => name);
const methodsOf = (client: object) => client as Readonly<Record<string, (...args: unknown[]) => PromiseLike<unknown>>>;

describe('the client against the OpenAPI document', () => {
  it('has a method for every operation of the organiser’s server, and no other', () => {
    const { client } = createFakeService([]);
    const methods = Object.keys(client).filter((name) => !(name in OTHER_WAYS));
    expect(methods.sort()).toEqual(ours.map((operation) => operation.operationId).sort());
    for (const operationId of Object.values(OTHER_WAYS)) expect(methods).toContain(operationId);
  });

  it.each(ours.map((operation) => [operation.operationId, operation] as const))('sends %s', async (id, operation) => {
    const { client, sent } = createFakeService([
      operation.success.status === 204 ? new Response(null, { status: 204 }) : json({ answer: id }),
    ]);
    const inPath = parametersIn(operation, 'path');
    const inQuery = parametersIn(operation, 'query');
    const query = Object.fromEntries(inQuery.map((name) => [name, `${name}/1`]));
    const body = operation.request?.example as Record<string, unknown> | undefined;
    const { imageBase64, ...rest } = body ?? {};
    const given = imageBase64 === undefined ? body : { ...rest, image: { base64: imageBase64 } };
    const args = [
      ...inPath.map((name) => `${name}/1`),
      ...(body ? [given] : []),
      ...(inQuery.length > 0 ? [query] : []),
    ];
    const answer = await methodsOf(client)[id]?.(...args);
    expect(answer).toEqual(operation.success.status === 204 ? undefined : { answer: id });
    const [request] = sent;
    expect(sent).toHaveLength(1);
    expect(request?.method).toBe(operation.method.toUpperCase());
    expect(request?.url.pathname).toBe(operation.path.replaceAll(/\{(\w+)\}/g, '$1%2F1'));
    expect(Object.fromEntries(request?.url.searchParams ?? [])).toEqual(query);
    expect(request?.headers.get('idempotency-key')).toBe(operation.method === 'post' ? 'key-1' : null);
    expect(request?.body === null || request?.body === undefined ? undefined : JSON.parse(request.body)).toEqual(body);
  });
});
