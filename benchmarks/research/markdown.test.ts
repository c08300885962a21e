import { describe, expect, it } from 'vitest';
import { keepSection, markedSection, replaceSection, wrapped } from './markdown.ts';

const report = (figures: string) =>
  `# Accuracy\n\n${figures}\n\n${markedSection('part', 'Not measured')}\n\n## The photo sets\n`;

describe('a marked section of a document', () => {
  const measured = replaceSection(report('1'), 'part', '## Liveness\n\n$& 0 of 24');

  it('is inserted, and replaced later', () => {
    expect(measured).toContain('## Liveness\n\n$& 0 of 24');
    expect(measured).not.toContain('Not measured');
    expect(replaceSection(measured, 'part', '## Liveness\n\n1 of 24')).not.toContain('0 of 24');
    expect(measured.replace('$& 0 of 24', '')).toMatch(/^# Accuracy\n\n1\n[\s\S]*\n## The photo sets\n$/);
  });

  it('is kept if the rest is measured again', () => {
    expect(keepSection(report('2'), 'part', measured)).toBe(measured.replace('\n1\n', '\n2\n'));
    expect(keepSection(report('2'), 'part', '# Accuracy, of an older kind')).toBe(report('2'));
    expect(keepSection('no place', 'part', measured)).toBe('no place');
  });

  it('needs its markers', () => {
    expect(() => replaceSection('# Accuracy', 'part', '## Liveness')).toThrow(RangeError);
  });
});

it('wraps paragraphs and list items, not tables, headings and code spans', () => {
  const [words, span] = ['word '.repeat(30).trim(), `\`${'a b '.repeat(10)}\``];
  const text = wrapped(`# ${words}\n\n| ${words} |\n\n${words}\n${words}\n\n- ${words} ${span}\n- last\n`);
  const lines = text.split('\n');
  expect(lines.filter((line) => line.length > 120)).toEqual([`# ${words}`, `| ${words} |`]);
  expect(lines.slice(-3)).toEqual([expect.stringMatching(/^ {2}word .*`a b (a b )+`$/), '- last', '']);
  expect(text.replaceAll(/\s+/g, ' ').match(/word/g)).toHaveLength(150);
});
