import { readFileSync } from 'node:fs';
import type { Schema } from '../src/check.ts';

/** Folder of the package, as a URL that ends with a slash. */
export const packageUrl = new URL('../', import.meta.url);

export const contract = JSON.parse(readFileSync(new URL('contract/v1.schema.json', packageUrl), 'utf8')) as Schema & {
  readonly $defs: Readonly<Record<string, Schema>>;
};

/** Name of the definition that a reference leads to. */
export function referredName(reference: string): string {
  const name = reference.replace(/^#\/\$defs\//, '');
  if (contract.$defs[name] === undefined) throw new Error(`${reference} leads nowhere`);
  return name;
}

/** Messages of one kind and direction. */
export type MessageGroup = 'ShellRequest' | 'ShellAnswer' | 'PageRequest' | 'PageAnswer' | 'PageEvent';

/** One named message of a direction. */
export interface NamedMessage {
  readonly name: string;
  /** Definition of its body. */
  readonly body: string;
}

/** Messages of one kind, by the definition that lists them. */
export function messagesOf(group: MessageGroup): readonly NamedMessage[] {
  return (contract.$defs[group]?.oneOf ?? []).map(({ properties }) => {
    const { name, body } = properties ?? {};
    if (typeof name?.const !== 'string' || body?.$ref === undefined)
      throw new Error(`${group} has a branch of another form`);
    return { name: name.const, body: referredName(body.$ref) };
  });
}
