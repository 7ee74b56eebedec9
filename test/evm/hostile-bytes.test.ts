import { expect, test } from 'vitest'
import { rulesOf } from '../../src/evm/forks.ts'
import { standardPrecompiles } from '../../src/evm/precompiles/index.ts'
import { decodeTransaction } from '../../src/evm/transaction/decode.ts'
import { encodeTransaction } from '../../src/evm/transaction/encode.ts'
import { refusalName } from '../../src/evm/transaction/errors.ts'
import { recoverSender, signTransaction } from '../../src/evm/transaction/sender.ts'
import type { UnsignedTransaction } from '../../src/evm/transaction/types.ts'
import { validateTransaction } from '../../src/evm/transaction/validate.ts'
import { formatHex } from '../../src/primitives/bytes.ts'
import { hostileInputs } from '../support/evm/hostile-precompiles.ts'
import { seededRandom } from '../support/random.ts'

const osaka = rulesOf('Osaka')

/** Creates a generator of whole numbers below a limit, the same in every run. */
function generator(seed: number): (limit: number) => number {
  const random = seededRandom(seed)
  return (limit) => Math.floor(random() * limit)
}

/** Returns the bytes with a few of them changed, removed or inserted. */
function mutate(bytes: Uint8Array, next: (limit: number) => number): Uint8Array {
  const out = [...bytes]
  for (let changes = 1 + next(3); changes > 0; changes--) {
    const at = next(out.length + 1)
    const kind = next(4)
    if (kind === 0) out.splice(at, 1 + next(4))
    else if (kind === 1) out.splice(at, 0, next(256))
    else out[Math.min(at, out.length - 1)] = kind === 2 ? next(256) : [0, 0x80, 0xc0, 0xff][next(4)]!
  }
  return new Uint8Array(out)
}

const to = new Uint8Array(20).fill(3)
const common = { chainId: 1n, nonce: 1n, gasLimit: 100_000n, to, valueWei: 1n, data: new Uint8Array(5).fill(9) }
const fees = {
  maxFeePerGasWei: 9n,
  maxPriorityFeePerGasWei: 1n,
  accessList: [{ address: to, storageKeys: [new Uint8Array(32)] }],
}
const authorization = { chainId: 1n, address: to, nonce: 1n, yParity: 0, r: 1n, s: 1n }
const samples: readonly UnsignedTransaction[] = [
  { ...common, type: 0, gasPriceWei: 5n },
  { ...common, type: 1, gasPriceWei: 5n, accessList: fees.accessList },
  { ...common, ...fees, type: 2 },
  { ...common, ...fees, type: 3, maxFeePerBlobGasWei: 1n, blobHashes: [new Uint8Array(32).fill(1)] },
  { ...common, ...fees, type: 4, authorizations: [authorization] },
]

/** Decodes bytes as a transaction and returns the result or the refusal. Rethrows any other error. */
function offer(bytes: Uint8Array): 'accepted' | 'refused' {
  try {
    const transaction = decodeTransaction(bytes)
    expect(formatHex(encodeTransaction(transaction))).toBe(formatHex(bytes))
    recoverSender(transaction)
    validateTransaction(transaction, osaka)
    return 'accepted'
  } catch (error) {
    if (refusalName(error) === undefined) throw error
    return 'refused'
  }
}

test('any bytes either decode to a transaction that encodes to the same bytes, or are refused', () => {
  const next = generator(4)
  const signed = samples.map((sample) => encodeTransaction(signTransaction(sample, new Uint8Array(32).fill(5))))
  const counts = { accepted: 0, refused: 0 }
  for (const bytes of signed) expect(offer(bytes)).toBe('accepted')
  for (let i = 0; i < 20_000; i++) {
    const bytes = i % 10 === 0 ? Uint8Array.from({ length: next(200) }, () => next(256)) : mutate(signed[i % 5]!, next)
    counts[offer(bytes)]++
  }
  expect(counts.refused).toBeGreaterThan(1_000)
  expect(counts.accepted).toBeGreaterThan(100)
})

test('any input of any precompile has an output or is refused', () => {
  const next = generator(5)
  const valid = hostileInputs(osaka).filter(({ input }) => input.length < 2_000)
  const precompiles = [...standardPrecompiles(osaka).values()]
  let answered = 0
  for (let i = 0; i < 4_000; i++) {
    const noise = Uint8Array.from({ length: next(400) }, () => (next(3) === 0 ? next(256) : 0))
    const input = i % 2 === 0 ? noise : mutate(valid[i % valid.length]!.input, next)
    const precompile = precompiles[i % precompiles.length]!
    if (precompile.kind !== 'pure' || precompile.gas(input) > 1_000_000n) continue
    const output = precompile.run(input)
    expect(output === undefined || output instanceof Uint8Array).toBe(true)
    answered++
  }
  expect(answered).toBeGreaterThan(3_000)
})
