import { expect, test } from 'vitest'
import { haltedByFailure } from '../consensus/halted.ts'
import { resolveConfig } from './config.ts'
import { diskFiles, freeBytes } from './files.ts'
import { createHaltHandler } from './halts.ts'

/** Returns the log of a block that could not be written, by the free bytes of the disk. */
function linesOfFailure(left: number | undefined, data: string | undefined = '/chain/data'): string[] {
  const lines: string[] = []
  const duty = createHaltHandler({
    config: resolveConfig({}).config,
    data,
    files: diskFiles,
    log: (level, message) => void lines.push(`${level} ${message}`),
    notify: undefined,
    free: () => left,
  })
  const error = new Error('Input/output error')
  duty(haltedByFailure(error, 5n), { error })
  return lines
}

test('the log names a full disk if a block fails on it, and not if a block fails for another reason', () => {
  const halted = 'error the chain has halted'
  const full = 'error the disk of the chain is full: free some space, then start the node again'
  expect(linesOfFailure(8192)).toEqual([halted, full])
  expect(linesOfFailure(10 ** 12)).toEqual([halted])
  expect(linesOfFailure(undefined)).toEqual([halted])
  expect(freeBytes(import.meta.dirname)).toBeGreaterThan(0)
  expect(freeBytes('/there/is/none')).toBeUndefined()
})
