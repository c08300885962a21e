/**
 * Entry of an inference thread. Piscina loads it by `require`, and a thread that is ended while `require` links modules takes the whole process
 * with it: V8 aborts (`IsGraphAsync must be used on an instantiated module`; Node 20 and others). So this file is CommonJS, and what it stands for
 * comes by `import`, which can be ended at any time.
 */
const { workerData } = require('piscina');

const loaded = import(workerData.module);
// Callers get the rejection with their task; prevents an unhandled one until then.
loaded.catch(() => undefined);

exports.warmUp = async () => (await loaded).warmUp();
exports.seal = async (task) => (await loaded).seal(task);
exports.drawLogo = async (image) => (await loaded).drawLogo(image);
