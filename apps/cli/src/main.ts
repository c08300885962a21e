import { program, runProgram } from './program.ts';

process.exitCode = await runProgram(program(), process.argv.slice(2));
