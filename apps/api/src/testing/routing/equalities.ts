/**
 * What columns of a statement are known to equal: values flow along the equalities of the conditions of one query, as
 * PostgreSQL's planner derives them. A flow has a direction, because a condition of an outer join binds only the side that
 * may be missing. No value flows between a query and a subquery of it, nor out of a WITH: there the planner derives none,
 * so a router does not see one.
 */
export class Equalities {
  readonly #flows = new Map<string, Set<string>>();
  readonly #joined: (readonly [string, string])[] = [];
  /** Columns of a UNION or of several rows of VALUES: they equal only what all their sources equal. */
  readonly #merged = new Map<string, readonly (string | null)[]>();

  /** Whatever `from` equals, `to` equals. */
  flow(from: string, to: string): void {
    const found = this.#flows.get(from) ?? new Set();
    this.#flows.set(from, found.add(to));
  }

  /** The two are equal, but a router does not see by what. */
  join(a: string, b: string): void {
    this.#joined.push([a, b]);
  }

  merge(sources: readonly (string | null)[], to: string): void {
    this.#merged.set(to, sources);
  }

  /** The values that each column equals, by the names of `values`. */
  solve(values: Iterable<string>): ReadonlyMap<string, ReadonlySet<string>> {
    const known = new Map<string, Set<string>>();
    const learn = (name: string, value: string): boolean => {
      const found = known.get(name) ?? new Set();
      if (found.has(value)) return false;
      known.set(name, found.add(value));
      return true;
    };
    for (const value of values) learn(value, value);
    for (let isNew = true; isNew; ) {
      isNew = false;
      for (const [from, all] of this.#flows) {
        for (const value of [...(known.get(from) ?? [])]) for (const to of all) if (learn(to, value)) isNew = true;
      }
      for (const [to, [first, ...others]] of this.#merged) {
        const common = [...(known.get(first ?? '') ?? [])].filter((value) =>
          others.every((source) => known.get(source ?? '')?.has(value) === true),
        );
        for (const value of common) if (learn(to, value)) isNew = true;
      }
    }
    return known;
  }

  /** Columns that are joined with each other, whatever they equal: a name for each group. */
  groups(): (name: string) => string {
    const parent = new Map<string, string>();
    const find = (name: string): string => {
      const above = parent.get(name);
      return above === undefined ? name : find(above);
    };
    const join = (a: string, b: string) => {
      const [rootA, rootB] = [find(a), find(b)];
      if (rootA !== rootB) parent.set(rootA, rootB);
    };
    for (const [from, all] of this.#flows) for (const to of all) join(from, to);
    for (const [a, b] of this.#joined) join(a, b);
    return find;
  }
}
