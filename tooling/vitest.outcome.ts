import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';

type Failure = { file: string; test: string; error: string; passedLater: boolean };

const firstLine = (message = '') => message.trim().split('\n', 1)[0] ?? '';

/**
 * What failed in one file, also if a second attempt passed: tests, hooks of suites, and the file itself where it could
 * not be loaded.
 */
function* failuresOf(module: TestModule): Generator<Failure> {
  const file = module.relativeModuleId;
  const parts: Iterable<TestModule | TestSuite | TestCase> = [
    module,
    ...module.children.allSuites(),
    ...module.children.allTests(),
  ];
  for (const part of parts) {
    const errors = part.type === 'test' ? (part.result().errors ?? []) : part.errors();
    const test = part.type === 'module' ? '' : part.fullName;
    const passedLater = part.type === 'test' && part.result().state === 'passed';
    if (errors.length > 0) yield { file, test, error: firstLine(errors[0]?.message), passedLater };
  }
}

/**
 * For the summary of `npm test`: writes what failed in a package to a file of its own in `folder`, as JSON, also errors
 * outside of any test, and the milliseconds that the tests and hooks of each file took.
 */
export const outcomeReporter = (folder: string): Reporter => ({
  onTestRunEnd(modules, unhandled) {
    const found = modules.flatMap((module) => [...failuresOf(module)]);
    const outside = unhandled.map(({ message }) => ({
      ...{ file: '', test: 'outside of any test', passedLater: false },
      error: firstLine(message),
    }));
    const place = relative(join(import.meta.dirname, '..'), process.cwd());
    const times = modules.map((module) => [module.relativeModuleId, module.diagnostic().duration]);
    const report = { place, failures: [...found, ...outside], times };
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(report));
  },
});
