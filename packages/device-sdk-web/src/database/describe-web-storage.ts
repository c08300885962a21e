/** What the browser says about this site's storage; null where it does not tell. */
export interface WebStorage {
  /**
   * True: the browser deletes it only when a person asks for it. False: it may do so by itself, when the disk is full
   * for example.
   */
  readonly persisted: boolean | null;
  readonly usageBytes: number | null;
  readonly quotaBytes: number | null;
}

/** For a readiness screen. Never rejects. */
export async function describeWebStorage(): Promise<WebStorage> {
  // Not there outside a secure context, whatever the types say.
  const { storage } = navigator as { readonly storage?: StorageManager };
  const persisted = (await storage?.persisted().catch(() => null)) ?? null;
  const estimate = (await storage?.estimate().catch(() => null)) ?? null;
  return { persisted, usageBytes: estimate?.usage ?? null, quotaBytes: estimate?.quota ?? null };
}
