import { expect, it } from 'vitest';
import { type Compared, endings, rowOf, worstLandmark } from './integers.ts';
import { type AttemptOutcome, plan } from './liveness/campaign.ts';

it('landmarks are apart by pixels of the network’s input, depth aside', () => {
  expect(worstLandmark(Float32Array.of(0, 0, 0, 10, 10, 0), Float32Array.of(0, 1, 9, 13, 14, 0), 96)).toBe(10);
});

it('photos are counted, and compared where both find a face', () => {
  const seen: Compared = {
    ...{ isFound: [true, true], isScored: [true, false], score: null, sameSquare: 0.25, ownSquare: 2, cosines: [0.5] },
  };
  const missed: Compared = { ...seen, isFound: [true, false], sameSquare: 9, cosines: [] };
  const [, ...cells] = rowOf('', [seen, missed], ['engine']);
  expect(cells.slice(0, 4)).toEqual(['2', '1, 1, 0', '0, 1, 0', '0.2500, 0.2500, 0.2500']);
  expect(cells.at(-1)).toBe('0.5000, 0.5000, 0.5000');
});

it('attempts end alike, for another reason or with another verdict', () => {
  const [one] = plan({ live: 1, replays: 0, each: 0 });
  if (one === undefined) expect.unreachable();
  const by = (...reasons: ('verified' | 'attack-frame' | 'not-surely-live')[]) =>
    reasons.map((reason): AttemptOutcome => {
      const verdict: AttemptOutcome['verdict'] =
        reason === 'verified' ? { outcome: 'Match', reason } : { outcome: 'LivenessFailed', reason };
      return { ...one, verdict, witness: null, attemptMs: 0 };
    });
  const [before, now] = [by('verified', 'attack-frame', 'verified'), by('verified', 'not-surely-live', 'attack-frame')];
  expect(endings([...before, null], [...now, null])).toBe(
    'Of 4 rendered attempts 2 end alike, 1 with another reason, 1 with another verdict.',
  );
});
