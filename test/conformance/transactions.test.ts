import { expect, test } from 'vitest'
import { describeTransaction } from '../../src/cli/tx-decode.ts'
import { parseFork } from '../../src/evm/forks.ts'
import { isPresent, jsonFiles } from '../support/public-data.ts'

interface Expected {
  readonly sender?: string
  readonly hash?: string
  readonly intrinsicGas?: string
  readonly exception?: string
}

interface TransactionTest {
  readonly txbytes: string
  readonly result: Readonly<Record<string, Expected>>
}

test.runIf(isPresent)('every transaction is decoded or refused as expected, under every fork', () => {
  const failures: string[] = []
  let count = 0
  for (const { name, content } of jsonFiles('transactions')) {
    for (const { txbytes, result } of Object.values(content as Record<string, TransactionTest>)) {
      for (const [fork, { sender, hash, intrinsicGas, exception }] of Object.entries(result)) {
        count++
        const found = describeTransaction(txbytes, parseFork(fork)!, 1n)
        const agrees =
          'error' in found
            ? exception !== undefined
            : exception === undefined &&
              found.sender === sender &&
              found.hash === hash &&
              BigInt(found.intrinsicGas) === BigInt(intrinsicGas!)
        if (!agrees) failures.push(`${name} ${fork}: ${JSON.stringify(found)}`)
      }
    }
  }
  console.log(`transactions: ${count - failures.length} of ${count}`)
  expect(failures).toEqual([])
  expect(count).toBe(494)
})
