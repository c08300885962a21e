import { describe, expect, it } from 'vitest';
import { errorCodes, errorTable, isErrorCode } from './errors.ts';
import { createProblem, problemSchema } from './operations/problem.ts';

describe('error table', () => {
  it.each(errorCodes)('%s has a status, a title and a meaning', (code) => {
    const { status, title, meaning } = errorTable[code];
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(title).not.toMatch(/\.$/);
    expect(meaning).toMatch(/^[A-Z`].*\.$/);
  });

  it('is in the order of statuses', () => {
    const statuses = errorCodes.map((code) => errorTable[code].status as number);
    expect(statuses).toEqual([...statuses].sort((a, b) => a - b));
  });

  it('has every status of the enrolment and nothing of a prototype', () => {
    const statuses = new Set(errorCodes.map((code) => errorTable[code].status as number));
    for (const status of [400, 401, 402, 404, 409, 413, 422, 429, 503]) expect(statuses).toContain(status);
    expect(isErrorCode('no-face')).toBe(true);
    expect(isErrorCode('toString')).toBe(false);
  });
});

describe('problem', () => {
  it.each(errorCodes)('of %s is one of RFC 9457', (code) => {
    const problem = createProblem(code, { requestId: 'req_1' });
    expect(problemSchema.parse(problem)).toEqual(problem);
    expect(problem).toMatchObject({ status: errorTable[code].status, code, type: `/docs/errors#${code}` });
  });

  it('carries what is known of the occurrence and nothing else', () => {
    expect(Object.keys(createProblem('not-found', { requestId: 'r' }))).toEqual([
      'type',
      'title',
      'status',
      'detail',
      'code',
      'requestId',
    ]);
    const problem = createProblem('face-too-small', {
      requestId: 'r',
      detail: 'd',
      errors: [],
      reason: 'dimensions',
      measured: 40,
      limit: 80,
    });
    expect(problem).toMatchObject({ detail: 'd', errors: [], reason: 'dimensions', measured: 40, limit: 80 });
  });
});
