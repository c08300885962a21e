import { readFileSync, writeFileSync } from 'node:fs';
import { renderSettings } from '../src/config/settings.ts';

const page = new URL('../../../docs/reference/settings.md', import.meta.url);
const table = /^\| Setting \|.*(\n\|.*)*/m;
writeFileSync(page, readFileSync(page, 'utf8').replace(table, renderSettings));
