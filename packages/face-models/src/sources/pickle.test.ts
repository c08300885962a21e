import { expect, it } from 'vitest';
import { readPickle } from './pickle.ts';

const read = (code: string): unknown => readPickle(Buffer.from(`\x80\x02${code}.`, 'latin1'), 0).value;
const named = 'cos\nsystem\n';

it('records names and calls and makes none', () => {
  expect(read(`${named}(X\x04\0\0\0truetR`)).toEqual({ kind: 'call', callee: 'os.system', args: ['true'] });
  expect(read('ccollections\nOrderedDict\n)R(X\x01\0\0\0aK\x01u')).toEqual(new Map([['a', 1]]));
});

it.each([
  ['INST', '(ios\nsystem\n'],
  ['OBJ', `(${named}o`],
  ['NEWOBJ', `${named})\x81`],
  ['EXT1', '\x82\x01'],
  ['a call of what is no name', 'K\x01)R'],
  ['a text longer than the file', 'X\xff\xff\xff\xff'],
  ['no end', 'K'],
])('refuses %s', (_, code) => {
  expect(() => read(code)).toThrow(Error);
});
