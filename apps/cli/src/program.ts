import type { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { commandLine, operatorCommands } from './command-line.ts';
import { registerEvaluate } from './commands/evaluate.ts';
import { registerLiveness } from './commands/liveness.ts';
import { registerRender } from './commands/render.ts';
import { registerVerify } from './commands/verify.ts';
import { registerVisit } from './commands/visit.ts';

const commands = [
  ...operatorCommands,
  registerRender,
  registerEvaluate,
  registerLiveness,
  registerVerify,
  registerVisit,
];

/** The whole command line, as a clone has it. */
export const program = (): Command =>
  commandLine('Operate a face check-in deployment; inspect, compare, evaluate.', manifest.version, commands);
