/** Standard outputs whose reader has closed them. */

/** Ignores `EPIPE` on both standard outputs: a node continues when the reader of its output ends. */
export function ignoreClosedOutput(): void {
  for (const output of [process.stdout, process.stderr]) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
}
