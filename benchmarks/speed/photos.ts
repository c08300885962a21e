/**
 * `npm run bench:photos [-- rounds [workers]]`: what an enrolment costs the main thread of the API and how much memory
 * its process takes at most, as base64 and as bytes, and a hundred people in one request and in a hundred. In turns, so
 * that the medians compare on a busy machine. Linux.
 */
import { readFile, writeFile } from 'node:fs/promises';
import type { ListResource } from '@svc/protocol';
import { portraits } from './service/enrolments.ts';
import { each } from './service/pace.ts';
import { startService } from './service/start-service.ts';

const LARGE_BYTES = 2e6;
const SINGLES = 10;
const PEOPLE = 100;
const AT_ONCE = 4;

const rounds = Number(process.argv[2] ?? 7);
const workers = Number(process.argv[3] ?? 2);
const service = await startService({ inference: 'models', workers });
const { listId } = await service.call<ListResource>('POST', '/v1/lists', { name: 'Bench', ongoing: true });
const people = `${service.url}/v1/lists/${listId}/people`;
const proc = `/proc/${service.apiPid()}`;
const portrait = (await portraits(1))[0] ?? new Uint8Array();
// Bytes after a JPEG's end are not looked at, so that both sizes cost the workers the same.
const large = Buffer.concat([portrait, Buffer.alloc(LARGE_BYTES - portrait.length)]);

const givenAt = new Date().toISOString();
const consent = { consentVersion: 'eu-v2', givenAt, explicitBiometricConsent: true, writtenRelease: true };
let enrolled = 0;
const person = () => ({ personId: `person-${enrolled++}`, consent });

async function post(url: string, body: FormData | string): Promise<unknown> {
  const type: Record<string, string> = typeof body === 'string' ? { 'Content-Type': 'application/json' } : {};
  const answer = await fetch(url, { method: 'POST', headers: { 'X-Api-Key': service.apiKey, ...type }, body });
  if (!answer.ok) throw new Error(`answered ${answer.status}`);
  return answer.json();
}

const asBase64 = (photo: Uint8Array) =>
  post(people, JSON.stringify({ ...person(), imageBase64: Buffer.from(photo).toString('base64') }));

function asBytes(photo: Uint8Array<ArrayBuffer>) {
  const form = new FormData();
  form.append('person', JSON.stringify(person()));
  form.append('photo', new Blob([photo]));
  return post(people, form);
}

async function allAtOnce() {
  const form = new FormData();
  form.append('people', JSON.stringify({ people: Array.from({ length: PEOPLE }, person) }));
  for (let i = 0; i < PEOPLE; i += 1) form.append(`photo.${i}`, new Blob([portrait]));
  const { results } = (await post(`${people}/batch`, form)) as { results: { status: number }[] };
  if (results.some(({ status }) => status !== 201)) throw new Error('somebody of the batch was refused');
}

const mainMs = async () =>
  Number((await readFile(`${proc}/task/${service.apiPid()}/schedstat`, 'utf8')).split(' ')[0]) / 1e6;
const kilobytes = async (name: string) =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(await readFile(`${proc}/status`, 'utf8'))?.[1]);

/** Main thread's milliseconds for each of so many people, and megabytes above those before. */
async function measure(count: number, work: () => Promise<unknown>) {
  await writeFile(`${proc}/clear_refs`, '5');
  const [ms, before] = [await mainMs(), await kilobytes('VmRSS')];
  await work();
  return { ms: ((await mainMs()) - ms) / count, mb: ((await kilobytes('VmHWM')) - before) / 1024 };
}

const cases: Readonly<Record<string, () => ReturnType<typeof measure>>> = {
  '2 MB as base64': () => measure(SINGLES, () => each(SINGLES, 1, () => asBase64(large))),
  '2 MB as bytes': () => measure(SINGLES, () => each(SINGLES, 1, () => asBytes(large))),
  'a hundred requests': () => measure(PEOPLE, () => each(PEOPLE, AT_ONCE, () => asBytes(portrait))),
  'one request for a hundred': () => measure(PEOPLE, allAtOnce),
};
const results = new Map(Object.keys(cases).map((name) => [name, { ms: [] as number[], mb: [] as number[] }]));
for (let round = -1; round < rounds; round += 1) {
  for (const [name, run] of Object.entries(cases)) {
    const { ms, mb } = await run();
    if (round < 0) continue;
    results.get(name)?.ms.push(ms);
    results.get(name)?.mb.push(mb);
  }
}
const residentMb = (await kilobytes('VmRSS')) / 1024;
await service.close();
console.log(`${residentMb.toFixed(0)} MB with ${workers} inference workers`);
const median = (numbers: number[]) => (numbers.sort((a, b) => a - b)[numbers.length >> 1] ?? 0).toFixed(1);
for (const [name, { ms, mb }] of results)
  console.log(`${name}: ${median(ms)} ms of the main thread for each, at most ${median(mb)} MB more`);
