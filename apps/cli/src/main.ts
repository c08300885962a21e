import { runProgram } from './command-line.ts';
import { program } from './program.ts';

process.exitCode = await runProgram(program(), process.argv.slice(2));
