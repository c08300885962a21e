import { lockDirectory } from '../files/lock-directory.ts';

/** A process that holds the lock of its argument until it is killed. */
await lockDirectory(process.argv[2] ?? '');
process.stdout.write('held\n');
setInterval(() => undefined, 1_000);
