import { createHash } from 'node:crypto';

/**
 * Parses `packageManager` of package.json, in Corepack's form: `pnpm@10.34.8+sha512.<128 hexadecimal digits>`.
 * @param {string} packageManager
 * @throws {Error} for a version without a hash
 */
export function readPin(packageManager) {
  const [, name, version, sha512] = /^([a-z]+)@(\d+\.\d+\.\d+)\+sha512\.([0-9a-f]{128})$/.exec(packageManager) ?? [];
  if (!name || !version || !sha512) throw new Error(`“${packageManager}” does not pin a version by its SHA-512`);
  return { name, version, sha512 };
}

/**
 * @param {Uint8Array} tarball from the registry
 * @param {{ name: string, version: string, sha512: string }} pin
 * @throws {Error} if the hash differs
 */
export function checkPinned(tarball, { name, version, sha512 }) {
  const found = createHash('sha512').update(tarball).digest('hex');
  if (found !== sha512) throw new Error(`${name} ${version} does not have the pinned content: SHA-512 ${found}`);
}
