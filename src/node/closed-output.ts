/** Standard outputs whose reader has closed them, or whose disk is full. */
import { systemReason } from './system-reason.ts'

/** Ignores `EPIPE` on both standard outputs: a node continues when the reader of its output ends. */
export function ignoreClosedOutput(): void {
  for (const output of [process.stdout, process.stderr]) {
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return
      const reason = systemReason(error)
      if (output === process.stderr || reason === undefined) throw error
      process.stderr.write(`almanac: standard output: ${reason}\n`, () => process.exit(1))
    })
  }
}
