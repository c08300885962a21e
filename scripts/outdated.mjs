// `npm run outdated`: which dependencies are behind. One that is behind by a major version needs a written reason in
// tooling/held-back.json, and a reason needs such a dependency. Then what is known against those of production.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pnpmScript, root, SetupError, script, setup } from './lib/setup.mjs';

/** pnpm ends with 1 when it has found something. @returns the JSON of its output, after its warnings */
function ask(...args) {
  const { stdout, stderr } = spawnSync(process.execPath, [pnpmScript, ...args, '--json'], {
    ...{ cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 },
  });
  const at = stdout.search(/^\{/m);
  if (at < 0) throw new SetupError(`“pnpm ${args.join(' ')}” has no result: ${stdout}${stderr}`);
  return JSON.parse(stdout.slice(at));
}

/** What may break: before 1.0.0 the second number. */
const majorOf = (version) => /^(0\.\d+|\d+)/.exec(version)[1];

script(() => {
  setup();
  const print = (line) => process.stdout.write(`${line}\n`);
  const file = 'tooling/held-back.json';
  const reasons = new Map(
    Object.entries(JSON.parse(readFileSync(join(root, file), 'utf8'))).flatMap(([reason, names]) =>
      names.map((name) => [name, reason]),
    ),
  );
  const wrong = [];
  for (const [name, { current, latest }] of Object.entries(ask('outdated', '--recursive'))) {
    const isMajor = majorOf(current) !== majorOf(latest);
    if (isMajor && !reasons.has(name)) wrong.push(`${name} is behind by a major version, without a reason in ${file}`);
    print(`${name} ${current} → ${latest}${isMajor ? `: ${reasons.get(name) ?? 'NO REASON'}` : ''}`);
    if (isMajor) reasons.delete(name);
  }
  for (const name of reasons.keys()) wrong.push(`${name} has a reason in ${file} and is not behind`);

  const { error, metadata } = ask('audit', '--prod');
  const { high = 0, critical = 0 } = metadata?.vulnerabilities ?? {};
  if (error !== undefined) print(`\nNOT AUDITED, the registry serves no advisories: ${error.message}`);
  else print(`\naudit of production: ${critical} critical, ${high} high (pnpm audit --prod)`);
  if (high + critical > 0) wrong.push('a dependency of production has an advisory of level high');
  if (wrong.length > 0) throw new SetupError(wrong.join('\n'));
});
