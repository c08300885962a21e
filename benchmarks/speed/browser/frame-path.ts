import type { Moment } from '../attempt/visitor.ts';

/** Where a site has a frame: raw RGBA. */
export const framePath = (person: number, { tick, yawDeg }: Moment): string => `/frames/${person}/${tick}/${yawDeg}`;

/** What a path names; null where it is none of {@link framePath}. */
export function frameAt(path: string): { readonly person: number; readonly moment: Moment } | null {
  const found = /^\/frames\/(\d+)\/(\d+)\/(-?[\d.]+)$/.exec(path);
  if (found === null) return null;
  const [, person, tick, yawDeg] = found;
  return { person: Number(person), moment: { tick: Number(tick), yawDeg: Number(yawDeg) } };
}
