import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Answer } from './answer.ts';
import { keptText, readKept } from './idempotency.ts';

const answers: fc.Arbitrary<Answer> = fc.record(
  {
    status: fc.constantFrom(200, 201, 202, 204),
    location: fc.webPath(),
    body: fc.dictionary(fc.string(), fc.jsonValue()),
  },
  { requiredKeys: ['status'] },
);

it('an answer that was kept is the one that is given again', () => {
  fc.assert(
    fc.property(answers, (answer) => {
      const text = keptText(answer) ?? '';
      expect(JSON.stringify(readKept(text))).toBe(JSON.stringify(JSON.parse(JSON.stringify(answer))));
    }),
    { examples: [[{ status: 200, body: JSON.parse('{"__proto__":[]}') }]] },
  );
});

it('nothing of an answer with a secret is kept', () => {
  fc.assert(
    fc.property(answers, fc.string(), (answer, secretOf) => {
      expect(keptText({ ...answer, secretOf })).toBeNull();
    }),
  );
});
