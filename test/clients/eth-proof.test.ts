/** `eth_getProof`: the description in `docs/json-rpc.md` is enough to verify an account and its slots. */
import { ics23 } from '@confio/ics23'
import { createTestClient, type Hex, http, numberToHex, publicActions } from 'viem'
import { expect, test } from 'vitest'
import { startNode } from '../../src/index.ts'
import { formatHex, hex } from '../../src/primitives/bytes.ts'
import { rpc } from '../support/rpc.ts'
import { verifyProof } from '../support/verify-proof.ts'

/** Creation code that writes i + 1 to each slot i below 100 and deploys one byte of code. */
const CREATION = '0x60005b806001018091558060641160025760016000f3'

/** Verifies each proof of an answer against the app hash. */
function verifySteps(steps: readonly Hex[], store: string, key: Uint8Array, appHash: Uint8Array): Uint8Array {
  const [keyProof, storeProof] = steps.map((step) => hex(step)) as [Uint8Array, Uint8Array]
  const value = ics23.CommitmentProof.decode(keyProof).exist?.value ?? new Uint8Array(0)
  verifyProof({ store, key, value, keyProof, storeProof }, appHash)
  return value
}

test('an account and many slots, present and absent, are proved against the state root of the next block', async () => {
  await using node = await startNode()
  const client = createTestClient({ mode: 'anvil', transport: http(node.urls.jsonrpc) }).extend(publicActions)
  const [from] = await rpc<Hex[]>(node, 'eth_accounts')
  const creation = await rpc<Hex>(node, 'eth_sendTransaction', [{ from, data: CREATION, gas: '0x989680' }])
  const { contractAddress, blockNumber } = await client.getTransactionReceipt({ hash: creation })
  await client.mine({ blocks: 1 })
  const address = contractAddress!
  const { stateRoot } = await client.getBlock({ blockNumber: blockNumber + 1n })
  const storageKeys = Array.from({ length: 120 }, (_, i) => numberToHex(i, { size: 32 }))
  const asked = { address, storageKeys, blockNumber }
  const { accountProof, codeHash, nonce, storageHash, storageProof } = await client.getProof(asked)

  const account = verifySteps(accountProof, 'acc', hex(`01${address.slice(2)}`), hex(stateRoot))
  expect(Buffer.from(account).toString('latin1')).toContain(codeHash.slice(2))
  expect([nonce, BigInt(storageHash)]).toEqual([1, 0n])
  expect(storageProof.map(({ key, value }) => [key, value])).toEqual(
    storageKeys.map((key, i) => [key, i < 100 ? BigInt(i + 1) : 0n]),
  )
  for (const { key, value, proof } of storageProof) {
    const place = hex(`02${address.slice(2)}${key.slice(2)}`)
    const stored = verifySteps(proof as unknown as Hex[], 'evm', place, hex(stateRoot))
    expect(BigInt(`0x0${formatHex(stored)}`)).toBe(value)
  }
})
