/** The memory that the pool counts for a transaction, against what it was measured to take. */
import { expect, test } from 'vitest'
import { encodeTransaction } from '../../evm/transaction/encode.ts'
import { signTransaction } from '../../evm/transaction/sender.ts'
import type { AccessList } from '../../evm/transaction/types.ts'
import { almanac } from '../../identity/profiles/almanac.ts'
import { messageType } from '../../identity/registry.ts'
import { EMPTY, encodeUint } from '../../primitives/bytes.ts'
import { keccak256 } from '../../primitives/hash.ts'
import { decodeTx } from '../../sdk/tx.ts'
import { wrapEthereumTx } from './envelope.ts'

function heldBytes(accessList: AccessList, data = EMPTY): number {
  const unsigned = {
    type: 2,
    chainId: 6930n,
    nonce: 0n,
    maxPriorityFeePerGasWei: 0n,
    maxFeePerGasWei: 10n ** 12n,
    gasLimit: 21_000n,
    to: encodeUint(1n, 20),
    valueWei: 1n,
    data,
    accessList,
  } as const
  const tx = signTransaction(unsigned, encodeUint(5n, 32))
  const facts = { message: messageType, isRouted: () => true }
  return decodeTx(facts, almanac, wrapEthereumTx(almanac, tx, keccak256(encodeTransaction(tx)))).heldBytes
}

test('items of an access list count as the objects that they become, and call data as two copies', () => {
  const plain = heldBytes([])
  // Measured: 7,100 to 7,900 bytes.
  expect(plain).toBeGreaterThan(7_000)
  expect(plain).toBeLessThan(12_000)
  const storageKeys = Array.from({ length: 1000 }, (_, i) => encodeUint(BigInt(i), 32))
  // Measured: 344 bytes for a key, 68 of them its text in the wrapping.
  expect(heldBytes([{ address: encodeUint(2n, 20), storageKeys }]) - plain).toBeGreaterThan(330_000)
  const addresses = Array.from({ length: 1000 }, (_, i) => ({ address: encodeUint(BigInt(i), 20), storageKeys: [] }))
  // Measured: 376 bytes for an address.
  expect(heldBytes(addresses) - plain).toBeGreaterThan(370_000)
  const data = new Uint8Array(100_000)
  expect(heldBytes([], data) - plain).toBeGreaterThan(199_000)
  expect(heldBytes([], data) - plain).toBeLessThan(210_000)
})
