/** A pool that one party fills, against the built program. */
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { startProcess } from '../support/process.ts'
import { ask, rpc } from '../support/rpc.ts'

const GWEI = 10n ** 9n
const transfer = { to: `0x${'57'.repeat(20)}`, value: 1n, gas: 21_000n, chainId: 6930 } as const

test('gapped transactions of many accounts do not lock others out, and the pool is emptied at once', async () => {
  await using node = await startProcess(['--ephemeral', '--block-time', 'manual', '--mempool-max-txs', '300'])
  const sign = (key: Hex, nonce: number, gasPrice: bigint) =>
    privateKeyToAccount(key).signTransaction({ ...transfer, nonce, gasPrice })
  const attackers = Array.from({ length: 50 }, () => generatePrivateKey())
  for (const key of attackers) {
    await rpc(node.config, 'anvil_setBalance', [privateKeyToAccount(key).address, '0x3635c9adc5dea00000'])
  }
  for (const key of attackers) {
    for (let nonce = 1; nonce < 8; nonce++) {
      const { error } = await ask(node.config, 'eth_sendRawTransaction', [await sign(key, nonce, 5000n * GWEI)])
      if (error) expect(error.message).toMatch(/mempool is full/)
    }
  }
  const { pending, queued } = await rpc<{ pending: Hex; queued: Hex }>(node.config, 'txpool_status')
  expect([Number(pending), Number(queued)]).toEqual([0, 300])
  // An honest transaction at the lowest price displaces one that cannot run, and so do its replacements.
  const honest = node.config.accounts[0]!.private_key
  let last: Hex = '0x'
  for (let i = 0; i < 100; i++) {
    const price = (1000n * GWEI * 112n ** BigInt(i)) / 100n ** BigInt(i)
    last = await rpc<Hex>(node.config, 'eth_sendRawTransaction', [await sign(honest, 0, price)])
  }
  await rpc(node.config, 'evm_mine')
  expect(await rpc(node.config, 'eth_getTransactionReceipt', [last])).toMatchObject({ status: '0x1' })
  await rpc(node.config, 'anvil_dropAllTransactions')
  expect(await rpc(node.config, 'txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
})
