import { expect, test } from 'vitest'
import { haltedByFailure } from '../consensus/halted.ts'
import { resolveConfig } from './config.ts'
import { diskFiles, freeBytes } from './files.ts'
import { createHaltDuty } from './halts.ts'

/** What the log says of a block that could not be written, by what the disk has left. */
function linesOfFailure(left: number | undefined, data: string | undefined = '/chain/data'): string[] {
  const lines: string[] = []
  const duty = createHaltDuty({
    config: resolveConfig({}).config,
    data,
    files: diskFiles,
    log: (level, message) => void lines.push(`${level} ${message}`),
    tell: undefined,
    free: () => left,
  })
  const error = new Error('Input/output error')
  duty(haltedByFailure(error, 5n), { error })
  return lines
}

test('a block that fails on a full disk says so; one that fails for another reason does not', () => {
  const halted = 'error the chain has halted'
  const full = 'error the disk of the chain is full: make room, and start the node again'
  expect(linesOfFailure(8192)).toEqual([halted, full])
  expect(linesOfFailure(10 ** 12)).toEqual([halted])
  expect(linesOfFailure(undefined)).toEqual([halted])
  expect(freeBytes(import.meta.dirname)).toBeGreaterThan(0)
  expect(freeBytes('/there/is/none')).toBeUndefined()
})
