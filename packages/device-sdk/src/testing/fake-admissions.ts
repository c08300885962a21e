import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { hkdfSha256, lookupTagOf } from '@svc/core/pack';
import {
  ADMISSIONS_SIGNING,
  type AdmissionsAnswer,
  type AnsweredAdmission,
  admissionsRequestSchema,
  admissionsSigningInput,
  NONCE_HEADER,
  SIGNATURE_HEADER,
} from '@svc/protocol';
import { toBase64Url } from '../platform/bytes.ts';
import type { TransportRequest } from '../platform/transport.ts';

type Row = AnsweredAdmission & { readonly sequence: number; readonly version: number };

/** The service's part in shared admissions: the first that arrives counts. It knows one device, and other doors. */
export class FakeAdmissions {
  readonly key = new Uint8Array(32).fill(21);
  readonly #rows = new Map<string, Row>();
  #version = 0;
  /** Which database answers. */
  origin = 'first';
  /** Numbers of the claims. */
  readonly claimed: number[] = [];
  /** Number of answered requests. */
  answered = 0;
  /** What the network does before and after the request; a rejection is a lost connection. */
  before: () => Promise<void> = async () => undefined;
  after: () => Promise<void> = async () => undefined;
  bend: (answer: AdmissionsAnswer) => AdmissionsAnswer = (answer) => answer;

  /** What is known of a person. */
  async of(personId: string): Promise<Row | undefined> {
    return this.#rows.get(toBase64Url(await lookupTagOf(this.key, personId)));
  }

  /** Another door lets a person in, or takes that back. */
  async elsewhere(personId: string, atMs: number, takenBack = false): Promise<void> {
    const tag = toBase64Url(await lookupTagOf(this.key, personId));
    const held = this.#rows.get(tag);
    const door = { at: new Date(atMs).toISOString(), door: 'South', own: false };
    if (held?.own && !held.takenBack) this.#put({ ...held, also: takenBack ? null : door });
    else this.#put({ ...door, tag, takenBack, also: null, sequence: 0 });
  }

  #put(row: Omit<Row, 'version'>): void {
    this.#version += 1;
    this.#rows.set(row.tag, { ...row, version: this.#version });
  }

  /** @throws Error for a request that the device did not sign */
  async answer({ body, headers }: TransportRequest, names: { readonly listId: string; readonly deviceId: string }) {
    await this.before();
    const request = admissionsRequestSchema.parse(JSON.parse(new TextDecoder().decode(body)));
    const nonce = headers[NONCE_HEADER] ?? '';
    const info = new TextEncoder().encode(ADMISSIONS_SIGNING + names.deviceId);
    const signing = hkdfSha256(this.key, new Uint8Array(), info, 32);
    const expected = toBase64Url(hmac(sha256, signing, admissionsSigningInput(nonce, request)));
    if (headers[SIGNATURE_HEADER] !== expected) throw new Error('the device signed something else');
    for (const { kind, tag, sequence, at } of request.entries) {
      const held = this.#rows.get(tag);
      const door = { at, door: 'North', own: true };
      if (held?.own && sequence <= held.sequence) continue;
      if (kind === 'taken-back') {
        if (held?.also?.own) this.#put({ ...held, also: null });
        else if (held?.own) this.#put({ ...held, sequence, takenBack: held.also === null, ...held.also, also: null });
      } else if (held === undefined || held.takenBack || kind === 'admitted-again') {
        this.#put({ ...door, tag, sequence, takenBack: false, also: null });
      } else if (held.also === null) this.#put({ ...held, also: door });
    }
    const { claim } = request;
    if (claim !== undefined) this.claimed.push(claim.sequence);
    const held = claim && this.#rows.get(claim.tag);
    const isOther = held !== undefined && !held.takenBack && !held.own;
    if (claim && !isOther) this.#put({ ...claim, door: 'North', own: true, takenBack: false, also: null });
    const since = (request.origin ?? this.origin) === this.origin ? request.since : 0;
    const changed = [...this.#rows.values()].filter(({ version }) => claim === undefined && version > since);
    const { at = '', door = '', own = false } = held ?? {};
    this.answered += 1;
    const answer = this.bend({
      answer: 'admissions',
      ...{ ...names, nonce, since, origin: this.origin, cursor: claim ? since : this.#version, more: false },
      entries: changed.map(({ sequence, version, ...row }) => row),
      elsewhere: isOther ? { at, door, own } : null,
    });
    return { answer, arrived: this.after };
  }
}
