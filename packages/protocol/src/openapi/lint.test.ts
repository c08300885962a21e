import { createConfig, lintFromString } from '@redocly/openapi-core';
import { type RulesetDefinition, Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { describe, expect, it } from 'vitest';
import { buildOpenApiDocument } from './document.ts';

const source = JSON.stringify(buildOpenApiDocument(), null, 2);

describe('the linters’ recommended rules, none switched off', () => {
  it('Redocly', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
    expect(problems.map((p) => `${p.severity} ${p.ruleId} ${p.location[0]?.pointer} ${p.message}`)).toEqual([]);
  });

  it('Spectral', async () => {
    const spectral = new Spectral();
    spectral.setRuleset({ extends: [[oas as RulesetDefinition, 'recommended']] });
    const problems = await spectral.run(source);
    expect(problems.map((p) => `${p.severity} ${p.code} ${p.path.join('/')} ${p.message}`)).toEqual([]);
  });
});
