/**
 * Runs in a page or worker before its scripts: removes what Chrome 91 and Safari 15.0 do not have yet and a device
 * would miss.
 */
export function forgetNewerFunctions(): void {
  const older: readonly (readonly [object | undefined, readonly string[]])[] = [
    [Array.prototype, ['at', 'findLast', 'findLastIndex', 'toSorted', 'toSpliced', 'toReversed', 'with']],
    [Object.getPrototypeOf(Uint8Array.prototype), ['at', 'findLast', 'findLastIndex', 'toSorted', 'toReversed']],
    [Uint8Array, ['fromBase64', 'fromHex']],
    [Uint8Array.prototype, ['toBase64', 'toHex']],
    [String.prototype, ['at', 'isWellFormed', 'toWellFormed']],
    [Object, ['hasOwn', 'groupBy']],
    [Promise, ['withResolvers', 'try']],
    [AbortSignal, ['abort', 'any', 'timeout']],
    [Crypto.prototype, ['randomUUID']],
    [globalThis, ['structuredClone', 'scheduler']],
    [ReadableStream.prototype, [Symbol.asyncIterator as never, 'values']],
    [
      (globalThis as { HTMLVideoElement?: { prototype: object } }).HTMLVideoElement?.prototype,
      ['requestVideoFrameCallback'],
    ],
  ];
  for (const [owner, names] of older) for (const name of names) if (owner) Reflect.deleteProperty(owner, name);
}
