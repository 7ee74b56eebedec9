/** Outputs that nobody reads any more. */

/** Who reads what a process writes may leave before its end: a node goes on then, and a command has nobody to tell. */
export function outliveReaders(): void {
  for (const output of [process.stdout, process.stderr]) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
}
