import { createHash } from 'node:crypto';
import type { ApiParts } from '@svc/api';
import { dropEmptyEpochs, requestJson, startTestApi, testEngines, testModels } from '@svc/api/testing';
import { sealRecord } from '@svc/core/pack';
import { createNodeAead } from '@svc/core/testing/peers';
import type { AddedDevice, ListResource } from '@svc/protocol';
import { inject } from 'vitest';

/** An answer of the organiser's side of the API. */
type Answer = Awaited<ReturnType<typeof requestJson<Record<string, unknown>>>>;

/** The server of one account's organiser. */
export interface Organiser {
  readonly apiKey: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  createList(request?: Record<string, unknown>): Promise<ListResource>;
  /** Enrols a person whose face is derived from the text `face`. */
  enrol(listId: string, personId: string, face?: string): Promise<Answer>;
  addDevice(listId: string, request?: Record<string, unknown>): Promise<AddedDevice>;
}

/** A service with its own PostgreSQL, HTTP and keys; the clock is the test's, and templates are made up. */
export interface TestService {
  readonly url: string;
  /** base64url of the raw Ed25519 public key. */
  readonly signingKey: string;
  readonly keyId: string;
  readonly dimension: number;
  readonly engineId: string;
  readonly clock: { nowMs: number };
  createOrganiser(): Promise<Organiser>;
  /** Deletes the epochs of former models that hold nobody any more, as the service's job does. */
  dropEmptyEpochs(): Promise<number>;
  close(): Promise<void>;
}

/** The deterministic unit-length template of a made-up face. */
export function madeUpTemplate(face: string, dimension: number): Float32Array {
  const template = new Float32Array(dimension);
  for (let i = 0; i < dimension; i += 1) {
    template[i] = createHash('sha256').update(`${face} ${i}`).digest().readInt32BE(0) / 2 ** 31;
  }
  const norm = Math.hypot(...template);
  return template.map((value) => value / norm);
}

type InferencePool = ReturnType<NonNullable<ApiParts['createInference']>>;

/** Seals the `madeUpTemplate` of the photo's bytes: everything after inference is real. */
function makeUpFaces(): InferencePool {
  const dimensionOf = (engineId: string) => testEngines().require(engineId).dimension;
  const aead = createNodeAead();
  return {
    hasRoom: () => true,
    drawLogo: () => Promise.resolve(null),
    admit: () => ({
      async seal({ photo, additionalPhotos: _more, ...task }) {
        const dimension = dimensionOf(task.engineId);
        const template = madeUpTemplate(Buffer.from(photo).toString('utf8'), dimension);
        return { ok: true, record: await sealRecord(aead, { ...task, dimension, template }) };
      },
      release: () => {},
    }),
    isReady: () => true,
    close: () => Promise.resolve(),
  };
}

function organiserOf(url: string, apiKey: string, clock: TestService['clock']): Organiser {
  const organiser: Organiser = {
    apiKey,
    call: (method, path, body, headers = {}) =>
      requestJson(url + path, {
        method,
        headers: {
          'X-Api-Key': apiKey,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    async createList(request = { name: 'Members', ongoing: true, country: 'DE' }) {
      const { body } = await organiser.call('POST', '/v1/lists', request);
      return body as unknown as ListResource;
    },
    enrol: (listId, personId, face = personId) =>
      organiser.call('POST', `/v1/lists/${listId}/people`, {
        personId,
        imageBase64: Buffer.from(face, 'utf8').toString('base64'),
        consent: {
          consentVersion: 'eu-v2',
          givenAt: new Date(clock.nowMs).toISOString(),
          explicitBiometricConsent: true,
          writtenRelease: true,
        },
      }),
    async addDevice(listId, request = {}) {
      const { body } = await organiser.call('POST', `/v1/lists/${listId}/devices`, request);
      return body as unknown as AddedDevice;
    },
  };
  return organiser;
}

/** @param environment settings of the service besides the default test settings */
export async function startTestService(
  startMs = Date.parse('2027-03-02T10:00:00.000Z'),
  environment: Record<string, string> = {},
): Promise<TestService> {
  const clock = { nowMs: startMs };
  const { engineId, dimension } = testModels.base;
  const parts = { clock: { now: () => clock.nowMs }, createInference: makeUpFaces, engines: testEngines() };
  const api = await startTestApi(inject('postgres'), parts, environment);
  const { signingKey, keyId } = api.admin.region();
  return {
    url: api.url,
    signingKey,
    keyId,
    dimension,
    engineId,
    clock,
    async createOrganiser() {
      const { apiKey } = await api.customer({ country: 'DE' });
      return organiserOf(api.url, apiKey, clock);
    },
    dropEmptyEpochs: () => dropEmptyEpochs(api.config, parts),
    close: () => api.close(),
  };
}
