import { tryLockFolder } from '../folder-lock.ts';

/** A process that holds the lock of its argument until it is killed. */
await tryLockFolder(process.argv[2] ?? '');
process.stdout.write('held\n');
setInterval(() => undefined, 1_000);
