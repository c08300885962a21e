/** A promise was broken. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** @throws Violation saying what was promised and is not so */
export function promise(isKept: boolean, what: string): void {
  if (!isKept) throw new Violation(what);
}
