import { readFileSync, writeFileSync } from 'node:fs';
import type { Needle } from './needles.ts';

/** Needles go from process to process in a file: what is to be searched must not have seen them. */
export function writeNeedles(path: string, needles: readonly Needle[]): void {
  const lines = needles.map(({ name, bytes, elementBytes }) => ({
    name,
    elementBytes,
    hex: Buffer.from(bytes).toString('hex'),
  }));
  writeFileSync(path, JSON.stringify(lines), { mode: 0o600 });
}

export function readNeedles(path: string): readonly Needle[] {
  const lines = JSON.parse(readFileSync(path, 'utf8')) as { name: string; elementBytes: number; hex: string }[];
  return lines.map(({ name, elementBytes, hex }) => ({
    name,
    elementBytes,
    bytes: Uint8Array.from(Buffer.from(hex, 'hex')),
  }));
}
