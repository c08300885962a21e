import type { TurnDirection } from '@svc/device-sdk';
import type { Box } from '@svc/face-engine';
import type { Film } from './film.ts';
import type { ListService } from './list-service.ts';
import type { AttemptTimes } from './time-attempt.ts';

/** The person, and the direction of the turn. */
export interface Visit {
  readonly person: number;
  readonly direction: TurnDirection;
  /** Whether the passive check runs. */
  readonly passive: boolean;
}

/** Options of all doors. */
export interface DoorOptions {
  readonly service: ListService;
  readonly film: Film;
  /** Devices to create: with the passive check, without, or both. */
  readonly variants: readonly boolean[];
  /** The face in the first frame of the first person, for Human. */
  readonly face: Box;
}

/** Devices of one platform, and Human in the same process or browser. */
export interface Door {
  readonly where: 'Node' | 'Chromium';
  attempt(visit: Visit): Promise<AttemptTimes>;
  /** Reads a frame from a playing video, if the platform's camera is one. @returns wall-clock milliseconds */
  readVideo?(): Promise<number>;
  /**
   * Human with detector, mesh, description, antispoof and liveness on one frame of a visit.
   * @returns wall-clock milliseconds. @throws Error if it does not find the one face
   */
  human(): Promise<number>;
  close(): Promise<void>;
}

export const personIdOf = (person: number): string => `ticket-${person}`;
