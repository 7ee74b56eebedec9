/** Disk that nobody pays for: blocks full of logs and output, votes of strangers, unknown fields, against the built program. */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import {
  MsgAggregateExchangeRatePrevoteSchema,
  MsgAggregateExchangeRateVoteSchema,
} from '../../src/gen/chain/oracle/v1beta1/tx_pb.ts'
import { PubKeySchema } from '../../src/gen/sdk/crypto/secp256k1/keys_pb.ts'
import { SignMode } from '../../src/gen/sdk/tx/signing/v1beta1/signing_pb.ts'
import { AuthInfoSchema, SignDocSchema, TxBodySchema, TxRawSchema } from '../../src/gen/sdk/tx/v1beta1/tx_pb.ts'
import { formatBase64, hex } from '../../src/primitives/bytes.ts'
import { publicKeyOf, signBytesWith } from '../../src/sdk/crypto.ts'
import { type NodeProcess, startProcess } from '../support/process.ts'
import { rpc } from '../support/rpc.ts'

const MB = 1_000_000
/** The ceiling that docs/operating.md states. Unit: bytes a gas. */
const CEILING = 0.2
/** Blocks, the write-ahead journal, and pages that are not filled yet. */
const REST_BYTES = 1.5 * MB
const GAS = 15_000_000
const push3 = (value: number): string => `62${value.toString(16).padStart(6, '0')}`

/** Repeats a body while gas is left; the hash of the calldata is on the stack, and each round multiplies it. */
const loop = (body: string): string => `365f5f37365f20600117${`5b${body}${push3(100_000)}5a11600a57`}00`
const NEXT = `7f${'9e3779b97f4a7c15'.repeat(4)}02`

const CODES = {
  'LOG0 without data': loop('5f5fa0'),
  'LOG4 with random topics': loop(`${NEXT}80${NEXT}80${NEXT}80${NEXT}80935f5fa4`),
  'output of 160 kB of random words': `365f5f37365f206001175b${`${NEXT}805952`.repeat(16)}59${push3(160_000)}11600a57${push3(160_000)}5ff3`,
} as const

async function withHome(run: (node: NodeProcess, storedBytes: () => number) => Promise<void>): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'almanac-disk-'))
  try {
    await using node = await startProcess(['--home', home, '--block-time', 'manual', '--api-workers', '0'])
    await run(node, () => statSync(join(home, 'data', 'data.mdb')).size)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Makes blocks until none waits. Returns the gas that they used. */
async function mineAll({ config }: NodeProcess): Promise<number> {
  let gas = 0
  do {
    await rpc(config, 'evm_mine')
    const { gasUsed } = await rpc<{ gasUsed: string }>(config, 'eth_getBlockByNumber', ['latest', false])
    gas += Number(gasUsed)
  } while (Number((await rpc<{ pending: string }>(config, 'txpool_status')).pending) > 0)
  return gas
}

test('blocks of logs and of output store at most the stated bytes for their gas', async () => {
  await withHome(async (node, storedBytes) => {
    const { config } = node
    const senders = config.accounts.slice(0, 8).map(({ address }) => address)
    for (const [name, code] of Object.entries(CODES)) {
      const data = `0x${push3(code.length / 2)}80600b5f395ff3${code}`
      const hash = await rpc(config, 'eth_sendTransaction', [{ from: senders[0], data, gas: '0x4c4b40' }])
      await rpc(config, 'evm_mine')
      const receipt = await rpc<{ status: string; contractAddress: string }>(config, 'eth_getTransactionReceipt', [
        hash,
      ])
      expect(receipt.status).toBe('0x1')
      const before = storedBytes()
      // The output is returned by many transactions, since the price of memory grows with its square.
      const [count, gas] = name.startsWith('output') ? [24, 200_000] : [1, GAS]
      for (let i = 0; i < count; i++) {
        const call = { to: receipt.contractAddress, data: `0x${i.toString(16).padStart(64, '0')}` }
        await rpc(config, 'eth_sendTransaction', [
          { ...call, from: senders[i % senders.length], gas: `0x${gas.toString(16)}` },
        ])
      }
      const used = await mineAll(node)
      expect(used, name).toBeGreaterThan(0.5 * count * gas)
      expect(storedBytes() - before, name).toBeLessThan(used * CEILING + REST_BYTES)
    }
  })
})

interface Signed {
  readonly messages: readonly { readonly typeUrl: string; readonly value: Uint8Array }[]
  /** Bytes after the encoded body. */
  readonly junk?: Uint8Array
  readonly gas: bigint
}

/** Signs a transaction of the second account that signs as those of the SDK do, and sends it. Returns code and log. */
async function broadcast({ config }: NodeProcess, { messages, junk, gas }: Signed) {
  const [, account] = config.accounts.filter(({ path }) => path.startsWith("m/44'/118'/0'"))
  const answer = await fetch(`${config.urls.rest}/sdk/auth/v1beta1/account_info/${account!.bech32}`)
  const { info } = (await answer.json()) as { info: { account_number: string; sequence: string } }
  const key = hex(account!.private_key)
  const body = toBinary(TxBodySchema, create(TxBodySchema, { messages: [...messages] }))
  const bodyBytes = Buffer.concat([body, junk ?? new Uint8Array()])
  const publicKey = {
    typeUrl: '/cosmos.crypto.secp256k1.PubKey',
    value: toBinary(PubKeySchema, create(PubKeySchema, { key: publicKeyOf(key) })),
  }
  const modeInfo: MessageInitShape<typeof AuthInfoSchema>['signerInfos'] = [
    {
      publicKey,
      modeInfo: { sum: { case: 'single', value: { mode: SignMode.DIRECT } } },
      sequence: BigInt(info.sequence),
    },
  ]
  const fee = { gasLimit: gas, amount: [{ denom: 'unative', amount: '1' }] }
  const authInfoBytes = toBinary(AuthInfoSchema, create(AuthInfoSchema, { signerInfos: modeInfo, fee }))
  const doc = { bodyBytes, authInfoBytes, chainId: config.chain_id, accountNumber: BigInt(info.account_number) }
  const signature = signBytesWith('secp256k1', toBinary(SignDocSchema, create(SignDocSchema, doc)), key)
  const tx = toBinary(TxRawSchema, create(TxRawSchema, { bodyBytes, authInfoBytes, signatures: [signature] }))
  const params = { tx: formatBase64(tx) }
  const response = await fetch(config.urls.comet, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'broadcast_tx_sync', params }),
  })
  return ((await response.json()) as { result: { code: number; log: string } }).result
}

test('votes of strangers and bytes of unknown fields are not stored for the price of a vote', async () => {
  await withHome(async (node, storedBytes) => {
    const { bech32 } = node.config.accounts.filter(({ path }) => path.startsWith("m/44'/118'/0'"))[1]!
    const { validators } = (await (await fetch(`${node.config.urls.rest}/sdk/staking/v1beta1/validators`)).json()) as {
      validators: { operator_address: string }[]
    }
    const names = { feeder: bech32, validator: validators[0]!.operator_address }
    const prevote = {
      typeUrl: '/chain.oracle.v1beta1.MsgAggregateExchangeRatePrevote',
      value: toBinary(
        MsgAggregateExchangeRatePrevoteSchema,
        create(MsgAggregateExchangeRatePrevoteSchema, { ...names, hash: 'ab'.repeat(20) }),
      ),
    }
    const vote = {
      typeUrl: '/chain.oracle.v1beta1.MsgAggregateExchangeRateVote',
      value: toBinary(
        MsgAggregateExchangeRateVoteSchema,
        create(MsgAggregateExchangeRateVoteSchema, { ...names, salt: '1', exchangeRates: '(ubtc:uusd,1)' }),
      ),
    }
    // Field 2046, bytes: unknown, and not critical by its number.
    const junk = Buffer.concat([hex('f27f'), hex('808006'), Buffer.alloc(98_304, 7)])
    const before = storedBytes()
    for (const messages of [[prevote], [vote, prevote]]) {
      expect(await broadcast(node, { messages, gas: 500n })).toMatchObject({ code: 11, log: /out of gas/ })
      const refused = await broadcast(node, { messages, junk, gas: 5_000_000n })
      expect(refused).toMatchObject({ code: 2, log: /unknown non-critical field/ })
    }
    for (let i = 0; i < 5; i++) await rpc(node.config, 'evm_mine')
    expect(storedBytes() - before).toBeLessThan(REST_BYTES / 10)
  })
})
