import { expect, test } from 'vitest'
import { actionKinds } from '../simulation/actions/table.ts'
import { longCount, runHalf } from '../simulation/long.ts'
import { tableOf } from '../simulation/report.ts'

// The worlds are divided over two files, one for each core: this is the first half.
test('the ledger holds after every block of the first half of the worlds, and every kind of action succeeds', () => {
  const tally = runHalf(0, longCount())
  console.info(tableOf(tally))
  expect(actionKinds.filter(({ name }) => (tally.byKind.get(name)?.succeeded ?? 0) === 0)).toEqual([])
})
