/**
 * Names the people of photographs, so that nobody is trained on under one name and judged on under another: a label counts, and a face without one is
 * whoever the engine takes it for.
 */
export class People {
  readonly #threshold: number;
  readonly #compare: (a: Float32Array, b: Float32Array) => number;
  readonly #known: { readonly name: string; readonly template: Float32Array }[] = [];
  readonly #unlabelled = new Map<string, number>();

  /** @param threshold from which two templates are taken for one person's */
  constructor(threshold: number, compare: (a: Float32Array, b: Float32Array) => number) {
    this.#threshold = threshold;
    this.#compare = compare;
  }

  /** @param source names who is met there first, where no label does */
  nameOf(template: Float32Array, label: string | null, source: string): string {
    const name = label ?? this.#nearest(template) ?? this.#newName(source);
    this.#known.push({ name, template: Float32Array.from(template) });
    return name;
  }

  /** Wipes the templates. */
  forget(): void {
    for (const { template } of this.#known) template.fill(0);
    this.#known.length = 0;
  }

  #nearest(template: Float32Array): string | null {
    let best: string | null = null;
    let highest = this.#threshold;
    for (const known of this.#known) {
      const cosine = this.#compare(template, known.template);
      if (cosine >= highest) [best, highest] = [known.name, cosine];
    }
    return best;
  }

  #newName(source: string): string {
    const next = (this.#unlabelled.get(source) ?? 0) + 1;
    this.#unlabelled.set(source, next);
    return `${source}-unnamed-${next}`;
  }
}
