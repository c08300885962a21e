import type { Verdict } from '../result.ts';
import type {
  FrontalState,
  LightState,
  PausedState,
  ReturnState,
  StaffState,
  StageState,
  TurnState,
} from './states.ts';

/** The verdict when the window or the camera ends before a match. */
export function conclude(state: StageState | PausedState): Verdict {
  switch (state.name) {
    case 'frontal':
      return concludeFrontal(state);
    case 'light':
      return { outcome: 'LivenessFailed', reason: 'light-not-held' };
    case 'turn':
      return concludeTurn(state);
    case 'staff':
      return concludeStaff(state);
    case 'return':
      return concludeReturn(state);
    case 'paused':
      return concludePaused(state.under);
  }
}

function concludeFrontal({ facts, comparisons }: FrontalState): Verdict {
  if (facts.faceSeenAtMs === null) return { outcome: 'NoFace', reason: 'no-face' };
  if (facts.passive !== null && !facts.everScored) return { outcome: 'LivenessFailed', reason: 'never-scorable' };
  if (comparisons.misses > 0) return { outcome: 'NoMatch', reason: 'below-threshold' };
  if (!facts.frontalSeen) return { outcome: 'NoMatch', reason: 'not-frontal' };
  // Scored and frontal, yet never compared: the estimate never had enough consecutive scored frames.
  if (facts.passive !== null) return { outcome: 'LivenessFailed', reason: 'too-few-scored-frames' };
  return { outcome: 'NoMatch', reason: 'window-ended' };
}

function concludeTurn({ reached }: TurnState): Verdict {
  if (reached === 'without-parallax') return { outcome: 'ChallengeFailed', reason: 'no-parallax' };
  if (reached === 'narrowed') return { outcome: 'ChallengeFailed', reason: 'narrowed' };
  if (reached === 'without-liveness') return { outcome: 'ChallengeFailed', reason: 'too-few-scored-frames' };
  return { outcome: 'ChallengeFailed', reason: 'turn-not-made' };
}

function concludeStaff({ comparisons, confirmed }: StaffState): Verdict {
  if (comparisons.misses > 0) return { outcome: 'NoMatch', reason: 'second-below-threshold' };
  return { outcome: 'ChallengeFailed', reason: confirmed ? 'too-few-scored-frames' : 'staff-not-confirmed' };
}

function concludeReturn({ comparisons, frontalUnscored }: ReturnState): Verdict {
  if (comparisons.misses > 0) return { outcome: 'NoMatch', reason: 'second-below-threshold' };
  if (frontalUnscored) return { outcome: 'ChallengeFailed', reason: 'too-few-scored-frames' };
  return { outcome: 'ChallengeFailed', reason: 'not-looked-back' };
}

function concludePaused(under: StageState): Verdict {
  if (under.name === 'frontal') return { outcome: 'NoMatch', reason: 'several-faces' };
  if (under.name === 'return' && under.comparisons.misses > 0) return concludeReturn(under);
  if (under.name === 'staff' && under.comparisons.misses > 0) return concludeStaff(under);
  return { outcome: 'ChallengeFailed', reason: 'several-faces' };
}

/**
 * On the way back and before staff, a frontal face below the threshold is the reason for the failure, whatever follows.
 */
export function afterMisses(state: LightState | TurnState | StaffState | ReturnState, verdict: Verdict): Verdict {
  if (verdict.outcome !== 'ChallengeFailed' || (state.name !== 'return' && state.name !== 'staff')) return verdict;
  if (state.comparisons.misses === 0) return verdict;
  return { outcome: 'NoMatch', reason: 'second-below-threshold' };
}
