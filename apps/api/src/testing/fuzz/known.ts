import type { Tenant } from '../tenant.ts';

/** What a value is drawn from when a request is sent: something that an earlier answer named, if there was any. */
export interface Drawn {
  readonly $drawn: string;
  readonly index: number;
}

const KEPT = 40;
const ID = /^([a-z]{3})_[0-9a-z]{26}$/;
const SECRET = /^(svc[ked])_/;
/** Names whose values are of a kind that does not show in the value itself. */
const KIND_OF_NAME: Readonly<Record<string, string>> = { personId: 'person', ticketId: 'person', nextCursor: 'cursor' };

/** Path parameter or property → kind of what it names. */
export function kindOf(name: string): string {
  const kinds: Readonly<Record<string, string>> = {
    eventId: 'evt',
    listId: 'lst',
    deviceId: 'dev',
    tokenId: 'tok',
    webhookId: 'whk',
    deliveryId: 'dlv',
    personId: 'person',
    ticketId: 'person',
    cursor: 'cursor',
  };
  return kinds[name] ?? 'any';
}

/** What a tenant's answers have named so far, the latest of each kind. */
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
    // The first stays: it is what the tenant began with.
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

  /** Puts what is drawn in its places. */
  fill(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.fill(item));
    if (typeof value !== 'object' || value === null) return value;
    if ('$drawn' in value) return this.draw(value as Drawn);
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, this.fill(member)]));
  }
}
