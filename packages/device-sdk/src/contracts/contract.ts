/** One demand on a port. Rejects, with a message that says what was wrong, when the adapter does not meet it. */
export interface ContractCase<Subject> {
  readonly name: string;
  readonly check: (subject: Subject) => Promise<void>;
}

/** An adapter under test. */
export interface Durable<Port> {
  /** The port, new and empty. */
  readonly port: Port;
  /** The port again as after a restart of the program, over what was kept; null where nothing outlives the program. */
  readonly reopen: (() => Promise<Port>) | null;
}

export function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

export async function demandRejection(action: Promise<unknown>, what: string): Promise<unknown> {
  try {
    await action;
  } catch (error) {
    return error;
  }
  throw new Error(what);
}
