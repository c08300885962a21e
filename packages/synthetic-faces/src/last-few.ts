/** Keeps the last few results of something slow by key. */
export function lastFew<T>(count: number): (key: string, make: () => T) => T {
  const kept = new Map<string, T>();
  return (key, make) => {
    const result = kept.get(key) ?? make();
    kept.delete(key);
    kept.set(key, result);
    const [oldest] = kept.keys();
    if (kept.size > count && oldest !== undefined) kept.delete(oldest);
    return result;
  };
}
