/** Progress on one line of a terminal; silent if standard error is a file or a pipe. */
export function progress(label: string, total: number): { step(): void; done(): void } {
  if (!process.stderr.isTTY) return { step: () => {}, done: () => {} };
  let count = 0;
  return {
    step() {
      count += 1;
      process.stderr.write(`\r${label} ${count}/${total}`);
    },
    done() {
      process.stderr.write('\r\u001b[K');
    },
  };
}
