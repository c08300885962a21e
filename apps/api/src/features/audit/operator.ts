import { userInfo } from 'node:os';
import type { Actor } from './actor.ts';

/** Whoever is logged in at the machine; a container may have no name for its user. */
export function operator(): Actor {
  try {
    return { kind: 'operator', name: userInfo().username };
  } catch {
    return { kind: 'operator', name: 'unknown' };
  }
}
