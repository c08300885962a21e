/**
 * Writes out the wire types in this package's declarations, so that its users need no further packages: those of
 * `@svc/protocol` are inferred from zod's schemas. Adds the descriptions of the table of operations. Runs between
 * emit-declarations and tsup, on `.types/`.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';

const ts = createRequire(new URL('../tooling/package.json', import.meta.url))('typescript');
const folder = join(process.cwd(), '.types');
const source = '@svc/protocol';
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.d.ts'))
  .map((file) => join(folder, file));
const program = ts.createProgram(files, {
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  module: ts.ModuleKind.ESNext,
  target: ts.ScriptTarget.ES2022,
  exactOptionalPropertyTypes: true,
  strict: true,
});
const checker = program.getTypeChecker();
const { NoTruncation, InTypeAlias, UseSingleQuotesForStringLiteralType } = ts.TypeFormatFlags;
const written = new Map();

const flags = NoTruncation | InTypeAlias | UseSingleQuotesForStringLiteralType;
const { operations, describeDeprecation } = createRequire(join(folder, 'index.js'))(source);
const told = new Map(
  operations.map(({ operationId, summary, description, deprecated }) => {
    const gone = deprecated === undefined ? '' : `\n * @deprecated ${describeDeprecation(deprecated)}\n`;
    return [operationId, `/** ${summary}. ${description}${gone} */\n`];
  }),
);

/** A type as text. The table of operations gets its descriptions, which editors show at the client's methods. */
function textOf(type, name) {
  if (name !== 'OrganiserOperationTypes') return checker.typeToString(type, undefined, flags);
  const members = type.getProperties().map((property) => {
    const text = checker.typeToString(checker.getTypeOfSymbol(property), undefined, flags);
    return `${told.get(property.name)}readonly ${property.name}: ${text};\n`;
  });
  return `{\n${members.join('')}}`;
}

/** @param {ts.ExportSpecifier | ts.ImportSpecifier} specifier */
function expand(specifier) {
  const symbol = checker.getAliasedSymbol(checker.getSymbolAtLocation(specifier.name));
  const name = (specifier.propertyName ?? specifier.name).text;
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  const text = textOf(type, name);
  const names = text.replaceAll(/\/\*\*[\s\S]*?\*\/|Record<string, unknown>|'[^']*'/g, '');
  if (/\b(any|unknown|import\()/.test(names)) throw new Error(`${name} can't be written out: ${text.slice(0, 200)}`);
  written.set(name, `export type ${name} = ${text};\n`);
}

for (const file of files) {
  const parsed = program.getSourceFile(file);
  let named = false;
  for (const statement of parsed.statements) {
    if (statement.moduleSpecifier?.text !== source) continue;
    named = true;
    const bindings = statement.exportClause ?? statement.importClause.namedBindings;
    for (const specifier of bindings.elements) expand(specifier);
  }
  if (!named) continue;
  const to = relative(join(file, '..'), join(folder, 'wire.js')).replace(/^(?!\.)/, './');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(`'${source}'`, `'${to}'`));
}
if (written.size === 0) throw new Error(`no declaration speaks of ${source}: is it built?`);
writeFileSync(join(folder, 'wire.d.ts'), [...written.values()].join(''));
