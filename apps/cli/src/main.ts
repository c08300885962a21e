import { program } from './program.ts';
import { runProgram } from './run-program.ts';

process.exitCode = await runProgram(program(), process.argv.slice(2));
