import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, it } from 'vitest';
import { buildOpenApiDocument } from './document.ts';

const source = JSON.stringify(buildOpenApiDocument(), null, 2);

it('keeps the linter’s recommended rules, none switched off', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  expect(problems.map((p) => `${p.severity} ${p.ruleId} ${p.location[0]?.pointer} ${p.message}`)).toEqual([]);
});
