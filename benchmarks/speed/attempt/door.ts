import type { TurnDirection } from '@svc/device-sdk';
import type { Box } from '@svc/face-engine';
import type { Film } from './film.ts';
import type { ListService } from './list-service.ts';
import type { AttemptTimes } from './time-attempt.ts';

/** Who is before the camera, and which way they are asked to turn. */
export interface Visit {
  readonly person: number;
  readonly direction: TurnDirection;
  /** Whether the passive check runs. */
  readonly passive: boolean;
}

/** What doors have in common. */
export interface DoorOptions {
  readonly service: ListService;
  readonly film: Film;
  /** Which devices there are to be: with the passive check, without, or both. */
  readonly variants: readonly boolean[];
  /** Where the face is in the first frame of the first person, which Human looks at. */
  readonly face: Box;
}

/** Devices of one platform, and Human beside them in the same process or browser. */
export interface Door {
  readonly where: 'Node' | 'Chromium';
  attempt(visit: Visit): Promise<AttemptTimes>;
  /**
   * Reads a frame out of a playing video, where that is what a camera gives. @returns milliseconds by the clock on the
   * wall
   */
  readVideo?(): Promise<number>;
  /**
   * Human with detector, mesh, description, antispoof and liveness on one frame of a visit.
   * @returns milliseconds by the clock on the wall. @throws Error where it does not see the one face that is there
   */
  human(): Promise<number>;
  close(): Promise<void>;
}

export const personIdOf = (person: number): string => `ticket-${person}`;
