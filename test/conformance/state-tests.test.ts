import { expect, test } from 'vitest'
import { FORK_NAMES } from '../../src/evm/forks.ts'
import { type Json, parseFixtures } from '../../src/evm/statetest/fixture.ts'
import { runFixture } from '../../src/evm/statetest/run.ts'
import { isPresent, jsonFiles } from '../support/public-data.ts'

interface Expected {
  readonly hash: string
  readonly logs: string
  readonly expectException?: string
}

/** Number of entries in each suite, counted independently from its files, so that no entry is skipped. */
const ENTRIES = {
  'state-shanghai': 18_446,
  'state-cancun': 4_889,
  'state-prague-bls': 695,
  'state-osaka': 276,
} as const

test.runIf(isPresent).each(Object.entries(ENTRIES))(
  'every entry of %s comes to the expected state root and logs, or is refused',
  (folder, entries) => {
    const failures: string[] = []
    let count = 0
    for (const { name, content } of jsonFiles(folder)) {
      for (const fixture of parseFixtures(content as Json)) {
        for (const fork of FORK_NAMES) {
          for (const result of runFixture(fixture, fork)) {
            const expected = fixture.post[result.fork]![result.index] as unknown as Expected
            const isRefused = result.error !== undefined
            const agrees =
              result.stateRoot === expected.hash &&
              result.logsHash === expected.logs &&
              isRefused === (expected.expectException !== undefined)
            count++
            if (!agrees) failures.push(`${name} ${result.fork} ${result.index}: ${result.error ?? result.stateRoot}`)
          }
        }
      }
    }
    console.log(`${folder}: ${count - failures.length} of ${count}`)
    expect(failures).toEqual([])
    expect(count).toBe(entries)
  },
)
