import ts from '../../../../../tooling/typescript.ts';

/** A place in the sources that makes a statement, or calls a function of its file that makes one. */
export interface Site {
  readonly path: string;
  readonly firstLine: number;
  readonly lastLine: number;
  /** Of the store's function that it is in, such as `lists/store.find`. */
  readonly name: string;
}

export interface FoundSites {
  readonly sites: readonly Site[];
  /** Places where a statement may or may not get a condition that decides where it runs. */
  readonly conditional: readonly string[];
  /** Names as of {@link Site} by line, for every line with a call. */
  readonly names: ReadonlyMap<number, string>;
}

/** What services and stores call connections and transactions, besides what has a type that says so. */
const CONNECTIONS = ['connection', 'tx', 'on', 'lock'];
const OF_A_CONNECTION = /^(Connection|Transaction|Knex)( \| \w+)?$/;
/** Methods of a connection that begin a statement. */
const BEGINS = /^(column|distinct|first|from|insert|into|raw|select|table|where|with|withRecursive)$/;
const DECIDES = /account_?id/i;
const LOGICAL = new Set([
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
]);

const bare = (node: ts.Expression): ts.Expression =>
  ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node) || ts.isAsExpression(node)
    ? bare(node.expression)
    : node;

/** `connection`, `tx ?? connection`, `database.connection`. @param names of connections */
function isConnection(node: ts.Expression, names: ReadonlySet<string>): boolean {
  const inner = bare(node);
  if (ts.isIdentifier(inner)) return names.has(inner.text);
  if (ts.isPropertyAccessExpression(inner)) return inner.name.text === 'connection';
  return ts.isBinaryExpression(inner) && isConnection(inner.left, names) && isConnection(inner.right, names);
}

/** `trx` of `trx: Transaction`, of `transaction(async (trx) => …)` and of `const trx = tx ?? connection`. */
function holdsConnection(node: ts.Node, names: ReadonlySet<string>): string | null {
  if (!(ts.isParameter(node) || ts.isVariableDeclaration(node)) || !ts.isIdentifier(node.name)) return null;
  const { parent } = node.parent;
  const isWork =
    ts.isParameter(node) && ts.isCallExpression(parent) && /\btransaction$/.test(parent.expression.getText());
  const isCopy = node.initializer !== undefined && isConnection(node.initializer, names);
  return isWork || isCopy || OF_A_CONNECTION.test(node.type?.getText() ?? '') ? node.name.text : null;
}

/** `connection('table')`, `connection.from('table')` and `connection.raw(…)`. */
function makesStatement(node: ts.CallExpression, names: ReadonlySet<string>): boolean {
  const callee = bare(node.expression);
  if (isConnection(callee, names)) return node.arguments.length > 0;
  return (
    ts.isPropertyAccessExpression(callee) && BEGINS.test(callee.name.text) && isConnection(callee.expression, names)
  );
}

/** The first call of a chain: `query` of `query.where(…).first()`. */
function rootOf(node: ts.Expression): ts.Expression {
  const inner = bare(node);
  if (ts.isCallExpression(inner) && ts.isPropertyAccessExpression(bare(inner.expression)))
    return rootOf(inner.expression);
  return ts.isPropertyAccessExpression(inner) ? rootOf(inner.expression) : inner;
}

const nameOf = (node: ts.Node): string | null => {
  const { name } = node as ts.NamedDeclaration;
  return name !== undefined && ts.isIdentifier(name) ? name.text : null;
};

/** Whether the value of a function is the statement that is made there, and not its result. */
function isReturned(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isReturnStatement(parent)) return true;
  if (ts.isArrowFunction(parent)) return parent.body === node && parent.modifiers === undefined;
  const isLink = ts.isPropertyAccessExpression(parent) || ts.isParenthesizedExpression(parent);
  if (isLink || (ts.isCallExpression(parent) && parent.expression === node)) return isReturned(parent);
  return false;
}

function enclosing<T extends ts.Node>(node: ts.Node, is: (node: ts.Node) => node is T): T | null {
  for (let at = node.parent; at !== undefined; at = at.parent) if (is(at)) return at;
  return null;
}

/** `if (a) …`, `a ? … : …`, `a && …` */
const isChoice = (node: ts.Node): node is ts.Statement | ts.Expression =>
  ts.isIfStatement(node) ||
  ts.isConditionalExpression(node) ||
  (ts.isBinaryExpression(node) && LOGICAL.has(node.operatorToken.kind));
const isText = (node: ts.Expression) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

const isNamedFunction = (node: ts.Node): node is ts.FunctionLikeDeclaration =>
  ts.isFunctionLike(node) && (nameOf(node) !== null || (node.parent !== undefined && nameOf(node.parent) !== null));
const nameOfFunction = (node: ts.Node) => nameOf(node) ?? nameOf(node.parent);

/** The outermost named function below that which makes the store. */
function memberOf(node: ts.Node): string {
  const names: string[] = [];
  for (let at = enclosing(node, isNamedFunction); at !== null; at = enclosing(at, isNamedFunction)) {
    names.unshift(nameOfFunction(at) ?? '');
  }
  return (names[0]?.startsWith('create') === true ? names[1] : names[0]) ?? names[0] ?? '';
}

/** Finds every place of a source file that makes a statement. @param path from the service's sources */
export function findSites(path: string, text: string): FoundSites {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  const lineOf = (at: number) => file.getLineAndCharacterOfPosition(at).line + 1;
  const store = path.replace(/^features\//, '').replace(/\.ts$/, '');
  const calls: ts.CallExpression[] = [];
  const choices: ts.ConditionalExpression[] = [];
  const connections = new Set(CONNECTIONS);
  const walk = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) calls.push(node);
    if (ts.isConditionalExpression(node)) choices.push(node);
    const held = holdsConnection(node, connections);
    if (held !== null) connections.add(held);
    ts.forEachChild(node, walk);
  };
  walk(file);

  const makers = new Set<string>();
  const found = new Set(calls.filter((call) => makesStatement(call, connections)));
  /** A function that returns a statement makes one wherever it is called. */
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const call of found) {
      const maker = isReturned(call)
        ? enclosing(call, (node): node is ts.FunctionLikeDeclaration => ts.isFunctionLike(node))
        : null;
      const name = maker === null || ts.isMethodDeclaration(maker) ? null : nameOfFunction(maker);
      if (name !== null && name !== undefined) makers.add(name);
    }
    for (const call of calls) {
      const callee = bare(call.expression);
      if (ts.isIdentifier(callee) && makers.has(callee.text)) found.add(call);
    }
  }

  const sites = [...found].map((call): Site => {
    const callee = bare(call.expression);
    return {
      path,
      firstLine: lineOf(call.getStart()),
      lastLine: lineOf(callee.getEnd()),
      name: `${store}.${memberOf(call)}`,
    };
  });
  const conditional =
    found.size === 0
      ? []
      : calls.flatMap((call) => {
          const callee = bare(call.expression);
          if (!ts.isPropertyAccessExpression(callee) || !ts.isIdentifier(rootOf(callee))) return [];
          if (enclosing(call, isChoice) === null) return [];
          const decides =
            /^or[A-Z]/.test(callee.name.text) ||
            (/where/i.test(callee.name.text) && call.arguments.some((each) => DECIDES.test(each.getText())));
          return decides ? [`${path}:${lineOf(callee.name.getStart())}`] : [];
        });
  const texts = choices.flatMap((choice) => {
    const branches = [choice.whenTrue, choice.whenFalse].filter((each) => isText(bare(each)));
    const parts = ts.isTemplateSpan(choice.parent) ? [choice] : branches;
    return parts.some((each) => DECIDES.test(each.getText())) ? [`${path}:${lineOf(choice.getStart())}`] : [];
  });
  const names = new Map(calls.map((call) => [lineOf(bare(call.expression).getEnd()), `${store}.${memberOf(call)}`]));
  return { sites, names, conditional: [...conditional, ...(found.size === 0 ? [] : texts)] };
}
