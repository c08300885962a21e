import { describe, expect, it } from 'vitest';
import { keepLivenessSection, replaceLivenessSection, unmeasuredLiveness } from './liveness-section.ts';

const report = (figures: string) => `# Accuracy\n\n${figures}\n\n${unmeasuredLiveness}\n\n## The photo sets\n`;

describe('the liveness part of the report', () => {
  const measured = replaceLivenessSection(report('1'), '## Liveness\n\n$& 0 of 24');

  it('is put into its place, and replaced there', () => {
    expect(measured).toContain('## Liveness\n\n$& 0 of 24');
    expect(measured).not.toContain('Not measured');
    expect(replaceLivenessSection(measured, '## Liveness\n\n1 of 24')).not.toContain('0 of 24');
    expect(measured.replace('$& 0 of 24', '')).toMatch(/^# Accuracy\n\n1\n[\s\S]*\n## The photo sets\n$/);
  });

  it('is kept when the rest is measured anew', () => {
    expect(keepLivenessSection(report('2'), measured)).toBe(measured.replace('\n1\n', '\n2\n'));
    expect(keepLivenessSection(report('2'), '# Accuracy, of an older kind')).toBe(report('2'));
    expect(keepLivenessSection('no place', measured)).toBe('no place');
  });

  it('has a place, or is refused', () => {
    expect(() => replaceLivenessSection('# Accuracy', '## Liveness')).toThrow(RangeError);
  });
});
