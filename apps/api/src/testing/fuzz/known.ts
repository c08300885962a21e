import type { Tenant } from '../tenant.ts';

/** A placeholder for a value from an earlier answer, if there was one. */
export interface Drawn {
  readonly $drawn: string;
  readonly index: number;
}

const KEPT = 40;
const ID = /^([a-z]{3})_[0-9a-z]{26}$/;
const SECRET = /^(svc[kedsl])_/;
/** Kinds of values that cannot be inferred from the value. */
const KIND_OF_NAME: Readonly<Record<string, string>> = { personId: 'person', ticketId: 'person', nextCursor: 'cursor' };

/** The kind of resource that a path parameter or property names. */
export function kindOf(name: string): string {
  const kinds: Readonly<Record<string, string>> = {
    eventId: 'evt',
    listId: 'lst',
    deviceId: 'dev',
    tokenId: 'tok',
    keyId: 'key',
    userId: 'usr',
    sessionId: 'ses',
    passkeyId: 'psk',
    challengeId: 'chl',
    webhookId: 'whk',
    deliveryId: 'dlv',
    personId: 'person',
    ticketId: 'person',
    cursor: 'cursor',
  };
  return kinds[name] ?? 'any';
}

/** Values from a tenant's answers, the latest of each kind. */
export class Known {
  readonly #byKind = new Map<string, string[]>();

  constructor(tenant: Tenant) {
    for (const [name, value] of Object.entries(tenant.parameters)) this.#add(kindOf(name), value);
    this.#add('svce', tenant.guestToken);
    this.#add('svcd', tenant.deviceToken);
  }

  #add(kind: string, value: string): void {
    const values = this.#byKind.get(kind) ?? [];
    if (values.includes(value)) return;
    values.push(value);
    // Keep the first, which is from the tenant's creation.
    if (values.length > KEPT) values.splice(1, 1);
    this.#byKind.set(kind, values);
  }

  learn(value: unknown, name = ''): void {
    if (typeof value === 'string') {
      const kind = KIND_OF_NAME[name] ?? ID.exec(value)?.[1] ?? SECRET.exec(value)?.[1];
      if (kind !== undefined) this.#add(kind, value);
    } else if (Array.isArray(value)) {
      for (const item of value) this.learn(item, name);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) this.learn(member, key);
    }
  }

  draw({ $drawn, index }: Drawn): string {
    const values = this.#byKind.get($drawn) ?? ['nothing'];
    return values[index % values.length] ?? 'nothing';
  }

  /** Replaces placeholders by values. */
  fill(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.fill(item));
    if (typeof value !== 'object' || value === null) return value;
    if ('$drawn' in value) return this.draw(value as Drawn);
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.fill(member)]));
  }
}
