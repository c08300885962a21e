/** The command line of a release. */
import manifest from '../package.json' with { type: 'json' };
import { commandLine, operatorCommands, runProgram } from './command-line.ts';

const svc = commandLine('Operate a face check-in deployment.', manifest.version, operatorCommands);
process.exitCode = await runProgram(svc, process.argv.slice(2));
