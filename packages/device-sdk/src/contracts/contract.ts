/** One requirement of a port. Rejects with a description if the adapter does not meet it. */
export interface ContractCase<Subject> {
  readonly name: string;
  readonly check: (subject: Subject) => Promise<void>;
}

/** An adapter under test. */
export interface Durable<Port> {
  /** The port, new and empty. */
  readonly port: Port;
  /** Opens the port again, as after a restart; null if nothing outlives the program. */
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
