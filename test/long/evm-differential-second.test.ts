import { expect, test } from 'vitest'
import { differences } from '../support/evm/compare.ts'

// The programs are divided over two files, one for each core: this is the second half.
const PROGRAMS = Number(process.env['TEST_DIFFERENTIAL_PROGRAMS'] ?? '100000')
const HALF = Math.ceil(PROGRAMS / 2)

test('the second half of the random programs gives the results of @ethereumjs/evm', async () => {
  expect(await differences(HALF, PROGRAMS)).toEqual([])
  console.info(`${PROGRAMS - HALF} programs agree`)
})
