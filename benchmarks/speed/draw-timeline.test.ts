import { describe, expect, it } from 'vitest';
import { drawTimeline, type Timeline } from './draw-timeline.ts';

const timeline: Timeline = {
  caption: 'An attempt & its window',
  windowMs: 10_000,
  frameMs: 1_000 / 15,
  lanes: [
    {
      name: 'Node',
      frames: [
        { atMs: 0, computingMs: 50 },
        { atMs: 5_000, computingMs: 100 },
      ],
      latencyMs: 104,
      stages: [{ name: 'frontal match', fromMs: 0, untilMs: 5_000 }],
      openingMs: 1.25,
      humanMs: 200,
    },
  ],
};

const rects = (svg: string, kind: string) =>
  [
    ...svg.matchAll(
      new RegExp(`<rect class="${kind}" x="([\\d.]+)" y="([\\d.]+)" width="([\\d.]+)" height="([\\d.]+)"`, 'g'),
    ),
  ].map(([, ...numbers]) => numbers.map(Number));

describe('the drawing of attempts', () => {
  it('draws each frame at its time, as high as its duration', () => {
    const svg = drawTimeline(timeline, []);
    const [frame = []] = rects(svg, 'frame');
    const [last = []] = rects(svg, 'last');
    const [human = []] = rects(svg, 'human');
    // The window is 840 wide from 20 on; the longest time, Human's, has the lane's height of 120.
    expect([frame[0], last[0]]).toEqual([20, 440]);
    expect([frame[3], last[3], human[3]]).toEqual([30, 60, 120]);
  });

  it('labels the deciding frame, the window, and durations too short to be seen', () => {
    const svg = drawTimeline(timeline, [{ people: '1,000,000', ms: 0.257 }]);
    expect(svg).toContain('result 104 ms after the last frame');
    expect(svg).toContain('2 frames, computing 0.15 s: 2 % of the window');
    expect(svg).toContain('Node 1.25 ms');
    expect(svg).toContain('0.26 ms among 1,000,000 people');
    expect(svg).toContain('aria-label="An attempt &amp; its window"');
    expect(drawTimeline(timeline, [])).not.toContain('out of a file');
  });
});
