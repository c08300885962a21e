/**
 * Names the people of photographs, so that nobody is trained on under one name and judged on under another: faces of one label are one person's, and a face
 * that is met first, labelled or not, is whoever the engine takes it for. Two who look alike are so taken for one, which harms nothing.
 */
export class People {
  readonly #threshold: number;
  readonly #compare: (a: Float32Array, b: Float32Array) => number;
  readonly #known: { readonly name: string; readonly template: Float32Array }[] = [];
  readonly #unlabelled = new Map<string, number>();
  /** Whom a label turned out to be. */
  readonly #labelled = new Map<string, string>();

  /** @param threshold from which two templates are taken for one person's */
  constructor(threshold: number, compare: (a: Float32Array, b: Float32Array) => number) {
    this.#threshold = threshold;
    this.#compare = compare;
  }

  /** @param source names who is met there first, where no label does. @returns a name */
  nameOf(template: Float32Array, label: string | null, source: string): string {
    const told = label === null ? undefined : this.#labelled.get(label);
    const name = told ?? this.#nearest(template) ?? label ?? this.#newName(source);
    if (label !== null) this.#labelled.set(label, name);
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
