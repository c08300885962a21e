import { tryLockFolder } from '../folder-lock.ts';

/** Holds the lock of the folder in the first argument until it is killed. */
await tryLockFolder(process.argv[2] ?? '');
process.stdout.write('held\n');
setInterval(() => undefined, 1_000);
