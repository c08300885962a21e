/** The browser's report on this site's storage; null if unknown. */
export interface WebStorage {
  /**
   * True: the browser deletes it only at the user's request. False: also on its own, for example when the disk is full.
   */
  readonly persisted: boolean | null;
  readonly usageBytes: number | null;
  readonly quotaBytes: number | null;
}

/** Reads the storage state for a readiness screen. Never rejects. */
export async function describeWebStorage(): Promise<WebStorage> {
  // Missing outside a secure context, despite its type.
  const { storage } = navigator as { readonly storage?: StorageManager };
  const persisted = (await storage?.persisted().catch(() => null)) ?? null;
  const estimate = (await storage?.estimate().catch(() => null)) ?? null;
  return { persisted, usageBytes: estimate?.usage ?? null, quotaBytes: estimate?.quota ?? null };
}
