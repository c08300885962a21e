import { describe, expect, it } from 'vitest';
import { CliError } from './cli-error.ts';
import { parsePairs } from './pairs-csv.ts';

const parse = (text: string) => parsePairs(text, '/data/pairs.csv');

describe('list of pairs', () => {
  it('resolves relative paths against its own folder', () => {
    expect(parse('left,right,same\na.jpg,/other/b.jpg,1\nsub/c.jpg,../d.jpg,0\n')).toEqual([
      { left: '/data/a.jpg', right: '/other/b.jpg', same: true },
      { left: '/data/sub/c.jpg', right: '/d.jpg', same: false },
    ]);
  });

  it('reads spreadsheet output: byte order mark, CRLF, quotes, spaces, blank lines, extra columns', () => {
    const text = '\uFEFFLeft, Right ,SAME,note\r\n"a, b.jpg",c.jpg,TRUE,"said ""x"""\r\n\r\nd.jpg,e.jpg,false,\r\n';
    expect(parse(text)).toMatchObject([
      { left: '/data/a, b.jpg', same: true },
      { left: '/data/d.jpg', right: '/data/e.jpg', same: false },
    ]);
  });

  it.each([
    ['', 'holds no pairs'],
    ['left,right,same\n', 'holds no pairs'],
    ['a,b,c\n1,2,3\n', 'the header lacks left, right, same'],
    ['left,right,same\na.jpg,b.jpg,maybe\n', '/data/pairs.csv:2: same must be'],
    ['left,right,same\na.jpg,b.jpg,1\na.jpg,,0\n', '/data/pairs.csv:3: left and right'],
    ['left,right,same\na.jpg,b.jpg\n', '/data/pairs.csv:2: not a well-formed CSV file'],
    ['left,right,same\n"a.jpg,b.jpg,1\n', 'not a well-formed CSV file'],
  ])('refuses %j in one line', (text, message) => {
    expect(() => parse(text)).toThrow(CliError);
    expect(() => parse(text)).toThrow(message);
    expect(() => parse(text)).not.toThrow('\n');
  });
});
