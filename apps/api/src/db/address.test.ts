import { expect, it } from 'vitest';
import { serverAddresses } from './address.ts';

it.each([
  ['postgresql://u:p@h/d', ['postgresql://u:p@h/d']],
  [
    'postgres://u@one:5433,two,[::1]:5434/d?x=1',
    ['postgres://u@one:5433/d?x=1', 'postgres://u@two/d?x=1', 'postgres://u@[::1]:5434/d?x=1'],
  ],
  ['postgresql://u:p%2C%40@/d?host=%2Frun%2Fpg', ['postgresql://u:p%2C%40@/d?host=%2Frun%2Fpg']],
  ['postgresql:///d?host=/run/pg', ['postgresql:///d?host=/run/pg']],
  [
    'postgresql://h/d?sslmode=require&sslrootcert=/ca.pem',
    ['postgresql://h/d?sslmode=verify-full&sslrootcert=%2Fca.pem'],
  ],
  ['postgresql://h/d?sslrootcert=system', ['postgresql://h/d?sslmode=verify-full']],
  ['postgresql://h/d?sslmode=disable', ['postgresql://h/d?sslmode=disable']],
  [
    'postgresql://a,b/d?target_session_attrs=read-write',
    ['postgresql://a/d?target_session_attrs=read-write', 'postgresql://b/d?target_session_attrs=read-write'],
  ],
])('%s names %j', (text, addresses) => {
  expect(serverAddresses(text)).toEqual(addresses);
});

it.each([
  ['another protocol', 'mysql://h/d'],
  ['a server without a name', 'postgresql://one,,two/d'],
  ['a port that is none', 'postgresql://one:port/d'],
  ['servers that take no writes', 'postgresql://one,two/d?target_session_attrs=standby'],
])('refuses %s', (_what, text) => {
  expect(serverAddresses(text)).toBeNull();
});
