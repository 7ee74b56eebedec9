/** The place of ordinary transactions in the pool, and leaving it. */
import { expect, test } from 'vitest'
import { MsgSendSchema } from '../gen/sdk/bank/v1beta1/tx_pb.ts'
import { formatBech32 } from '../primitives/address.ts'
import { toKey } from '../primitives/bytes.ts'
import { testChain, testMessage } from './testing.ts'

const UNIT = 10n ** 12n

test('a transaction that leaves the pool gives back its fee and its sequence, and nothing else', () => {
  const chain = testChain()
  const [alice, bob] = chain.accounts.map((bytes) => formatBech32('chain', bytes)) as [string, string]
  const send = (amount: string) =>
    testMessage(MsgSendSchema, { fromAddress: alice, toAddress: bob, amount: [{ denom: 'unative', amount }] })
  const fee = [{ denom: 'unative', amount: 6n * 10n ** 11n }]
  const first = chain.sign(0, [send('1')], { fee, gasLimit: 200_000n })
  const passed = chain.check(first)
  expect(passed).toMatchObject({ code: 0, order: { sender: toKey(chain.accounts[0]!), nonce: 0n, isDueVote: false } })
  expect(passed.order).toMatchObject({ spendableWei: 4n * 10n ** 11n * UNIT, deducted: fee })
  const check = (sequence: bigint) =>
    chain.app.check(chain.sign(0, [send('2')], { fee, gasLimit: 200_000n, sequence }), 'check')
  expect(check(1n)).toMatchObject({ codespace: 'sdk', code: 5 })
  chain.app.releaseChecked(passed.order!)
  expect(check(1n).log).toMatch(/^account sequence mismatch, expected 0, got 1/)
  expect(check(0n)).toMatchObject({ code: 0, order: { nonce: 0n, spendableWei: 4n * 10n ** 11n * UNIT } })
})

test('bytes are told apart before any check: an Ethereum transaction, an ordinary one, neither', () => {
  const chain = testChain()
  const ordinary = chain.sign(0, [])
  chain.check(ordinary)
  expect([ordinary, new Uint8Array([1, 2, 3]), new Uint8Array(0)].map(chain.app.isEthereumTx)).toEqual([
    false,
    false,
    false,
  ])
})
