import type { Schema } from '../../src/check.ts';
import { contract, referredName } from '../schema.ts';

/** What a form asks of one member: to be there, or also to be one of these values. */
export interface Condition {
  readonly member: string;
  readonly values: readonly (string | boolean)[] | null;
}

/**
 * The forms that an object may have where its members depend on each other, as the branches of its definition; none for
 * other objects. Types name all members of all branches, so only this tells the forms apart.
 */
export function formsOf(name: string): readonly (readonly Condition[])[] {
  const { properties = {}, oneOf = [] } = contract.$defs[name] ?? {};
  return oneOf.map((branch) =>
    Object.entries(branch.properties ?? {}).flatMap(([member, schema]): readonly Condition[] => {
      const values = valuesOf(schema);
      const isAll = values === null || values.length === valuesOf(properties[member] ?? {})?.length;
      if (!isAll) return [{ member, values }];
      return branch.required?.includes(member) ? [{ member, values: null }] : [];
    }),
  );
}

function valuesOf({ $ref, const: only, enum: some }: Schema): readonly (string | boolean)[] | null {
  if ($ref !== undefined) return contract.$defs[referredName($ref)]?.enum ?? null;
  if (typeof only === 'string' || typeof only === 'boolean') return [only];
  return some ?? null;
}

/** Of every object with forms, for a property that tells whether a value has one. */
export const IS_ONE_FORM = 'Whether its members belong together, as in one of the forms that the contract has.';
