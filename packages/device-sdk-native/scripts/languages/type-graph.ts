import { type ClassType, nullableFromUnion, type Type, UnionType } from 'quicktype-core';

/** Name of the object that names every type, so that quicktype meets each once. Nothing is written of it. */
export const ROOT = 'Everything';

export const isRoot = (type: ClassType): boolean => type.getProperties().has(`${ROOT}Ends`);

export const isNullable = (type: Type): boolean => type instanceof UnionType && nullableFromUnion(type) !== null;

/** The type itself if it cannot be null. */
export const withoutNull = (type: Type): Type => (type instanceof UnionType ? (nullableFromUnion(type) ?? type) : type);

/** For kinds of types that the contract does not have. */
export function unexpected(): never {
  throw new Error('the contract has a type that no language was taught');
}
