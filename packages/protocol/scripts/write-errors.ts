import { writeFileSync } from 'node:fs';
import { renderErrorReference } from '../src/error-reference.ts';

writeFileSync(new URL('../../../docs/errors.md', import.meta.url), renderErrorReference());
