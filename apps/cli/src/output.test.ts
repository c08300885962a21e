import { afterEach, expect, it, vi } from 'vitest';
import { print, printJson, table } from './output.ts';

const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
afterEach(() => write.mockClear());
const printed = () => write.mock.calls.map(([chunk]) => String(chunk)).join('');

/** Sets a terminal's title, reverses text, forges a row, deletes characters. */
const HOSTILE = 'a\u001b]0;owned\u0007\u202eb\nlst_forged  open\u009b2K\u007f\r';

it('a name cannot move the cursor, start a row or reverse text', () => {
  print(
    table([
      ['name', 'state'],
      [HOSTILE, 'open'],
    ]),
  );
  expect(printed().split('\n')).toHaveLength(3);
  expect(printed()).toContain('a\\u001b]0;owned\\u0007\\u202eb\\u000alst_forged  open\\u009b2K\\u007f\\u000d  open');
});

it('JSON keeps its value', () => {
  printJson({ name: HOSTILE, plain: 'Zoë – 東京' });
  expect(JSON.parse(printed())).toEqual({ name: HOSTILE, plain: 'Zoë – 東京' });
  expect(printed().replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
});
