/** Closes what was opened in reverse order, each once, even if some fail. */
export class Cleanup {
  readonly #steps: (() => Promise<void> | void)[] = [];

  add(step: () => Promise<void> | void): void {
    this.#steps.push(step);
  }

  /** @throws the first error, after every step has run */
  async run(): Promise<void> {
    const errors: unknown[] = [];
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}

/** Opens something; on failure closes what was opened before. */
export async function openWith<Opened>(open: (cleanup: Cleanup) => Promise<Opened>): Promise<Opened> {
  const cleanup = new Cleanup();
  try {
    return await open(cleanup);
  } catch (error) {
    await cleanup.run().catch(() => undefined);
    throw error;
  }
}
