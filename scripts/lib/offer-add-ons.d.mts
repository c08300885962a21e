/** The recommended add-ons that are not in the folder. */
export function missingAddOns(folder: string): string[];

/** Asks in a terminal whether to fetch missing add-ons. */
export function offerAddOns(o: {
  readonly missing: readonly string[];
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean; setRawMode?(on: boolean): unknown };
  readonly output: { readonly isTTY?: boolean; write(text: string): unknown };
  readonly add: () => Promise<void> | void;
  readonly waitMs?: number;
}): Promise<boolean>;
