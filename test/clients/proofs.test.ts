import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { ics23, tendermintSpec, verifyExistence } from '@confio/ics23'
import { Client, credentials } from '@grpc/grpc-js'
import { QueryClient } from 'cosmjs-stargate-0.32'
import { type CometClient, connectComet } from 'cosmjs-tendermint-rpc-0.32'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ABCIQueryRequestSchema,
  type ABCIQueryResponse,
  ABCIQueryResponseSchema,
} from '../../src/gen/sdk/base/tendermint/v1beta1/query_pb.ts'
import { startNode } from '../../src/index.ts'
import { formatHex, hex, utf8 } from '../../src/primitives/bytes.ts'
import { rpc } from '../support/rpc.ts'
import { verifyProof } from '../support/verify-proof.ts'

type Node = Awaited<ReturnType<typeof startNode>>
type ProvenQuery = Awaited<ReturnType<QueryClient['queryRawProof']>>

interface Asked {
  readonly store: string
  readonly key: Uint8Array
}

const stranger = (i: number) => hex(`00000000000000000000000000000000000${(0xa00 + i).toString(16)}00`)
const balanceKey = (address: Uint8Array) => Uint8Array.of(2, 20, ...address, ...utf8('unative'))
const accountKey = (address: Uint8Array) => Uint8Array.of(1, ...address)

/** Sends the same query over gRPC, under either name. */
function abciQuery(node: Node, family: string, init: MessageInitShape<typeof ABCIQueryRequestSchema>) {
  const client = new Client(node.urls.grpc.replace(/^\w+:\/\//, ''), credentials.createInsecure())
  return new Promise<ABCIQueryResponse>((resolve, reject) => {
    client.makeUnaryRequest(
      `/${family}.base.tendermint.v1beta1.Service/ABCIQuery`,
      (request: MessageInitShape<typeof ABCIQueryRequestSchema>) =>
        Buffer.from(toBinary(ABCIQueryRequestSchema, create(ABCIQueryRequestSchema, request))),
      (bytes: Buffer) => fromBinary(ABCIQueryResponseSchema, bytes),
      init,
      (error, answer) => (error ? reject(error) : resolve(answer!)),
    )
  }).finally(() => client.close())
}

/** Pays new accounts, one in each block, so that keys of accounts and balances appear and change. */
async function payStrangers(node: Node, from: number, to: number): Promise<void> {
  const [payer] = await rpc<string[]>(node, 'eth_accounts')
  for (let i = from; i < to; i++) {
    await rpc(node, 'eth_sendTransaction', [
      { from: payer, to: `0x${formatHex(stranger(i))}`, value: '0xde0b6b3a7640000' },
    ])
  }
}

function verify({ key, value, proof }: ProvenQuery, { store }: Asked, appHash: Uint8Array): void {
  const [iavl, simple] = proof.ops
  if (iavl?.type !== 'ics23:iavl' || simple?.type !== 'ics23:simple') throw new Error('not the proofs asked for')
  verifyProof({ store, key, value, keyProof: iavl.data, storeProof: simple.data }, appHash)
}

const flipped = (bytes: Uint8Array, at: number) => bytes.map((byte, i) => (i === at ? byte ^ 0xff : byte))

/** Verifies a proof, and that it fails with any of its bytes changed. */
function verifyStrictly(found: ProvenQuery, asked: Asked, appHash: Uint8Array): void {
  verify(found, asked, appHash)
  const refuses = (changed: Partial<ProvenQuery>, otherHash = appHash) =>
    expect(() => verify({ ...found, ...changed }, asked, otherHash)).toThrow()
  const [iavl, simple] = found.proof.ops
  const ops = (first: Uint8Array, second: Uint8Array) => ({
    proof: {
      ops: [
        { ...iavl!, data: first },
        { ...simple!, data: second },
      ],
    },
  })
  for (let i = 0; i < iavl!.data.length; i++) refuses(ops(flipped(iavl!.data, i), simple!.data))
  for (let i = 0; i < simple!.data.length; i++) refuses(ops(iavl!.data, flipped(simple!.data, i)))
  for (let i = 0; i < appHash.length; i++) refuses({}, flipped(appHash, i))
  for (let i = 0; i < found.key.length; i++) refuses({ key: flipped(found.key, i) })
  for (let i = 0; i < found.value.length; i++) refuses({ value: flipped(found.value, i) })
}

/** Returns 25 keys that exist at the end, some of them new or changed on the way, and 25 that never exist. */
const KEYS: readonly Asked[] = [
  ...Array.from({ length: 10 }, (_, i) => ({ store: 'bank', key: balanceKey(stranger(i)) })),
  ...Array.from({ length: 10 }, (_, i) => ({ store: 'acc', key: accountKey(stranger(i)) })),
  { store: 'bank', key: Uint8Array.of(0, ...utf8('unative')) },
  { store: 'acc', key: utf8('globalAccountNumber') },
  { store: 'consensus', key: utf8('Consensus') },
  { store: 'staking', key: hex('12') },
  { store: 'staking', key: hex('51') },
  ...Array.from({ length: 20 }, (_, i) => ({
    store: i % 2 ? 'bank' : 'acc',
    key: hex(`${i % 2 ? '0214' : '01'}77${i + 10}`),
  })),
  { store: 'bank', key: hex('00') },
  { store: 'bank', key: hex('ffffff') },
  { store: 'staking', key: hex('00') },
  { store: 'evm', key: hex('ff') },
  { store: 'consensus', key: utf8('Consensvs') },
]

describe.each(['memory', 'LMDB'])('proofs of a node over %s', (kind) => {
  const home = kind === 'LMDB' ? mkdtempSync(join(tmpdir(), 'almanac-proofs-')) : undefined
  let node: Node
  let comet: CometClient
  let client: QueryClient

  const start = async () => {
    node = await startNode(home ? { home } : {})
    comet = await connectComet(node.urls.comet)
    client = QueryClient.withExtensions(comet)
  }
  beforeAll(async () => {
    await start()
    await payStrangers(node, 0, 5)
    if (home) {
      await node.stop()
      await start()
    }
    await payStrangers(node, 5, 10)
  })
  afterAll(async () => {
    comet.disconnect()
    await node.stop()
    if (home) rmSync(home, { recursive: true })
  })

  const headerAppHash = async (height: number) => (await comet.commit(height)).header.appHash

  test('CosmJS and ics23 verify proofs of fifty keys, present and absent, old and new, and none with a changed byte', async () => {
    const latest = Number(node.height)
    expect([KEYS.length, latest]).toEqual([50, 11])
    let present = 0
    for (const [i, asked] of KEYS.entries()) {
      const height = [undefined, 1, 4, latest - 1, latest][i % 5]
      const found = await client.queryRawProof(asked.store, asked.key, height)
      expect(found.height).toBe(height ?? (await latestProvable()))
      const check = home ? verifyStrictly : verify
      check(found, asked, await headerAppHash(found.height + 1))
      if (found.value.length > 0) present++
      const verified = await client.queryStoreVerified(asked.store, asked.key, height)
      expect(verified.value).toEqual(found.value)
    }
    expect(present).toBeGreaterThan(12)
    expect(present).toBeLessThan(30)
  })

  const latestProvable = async () => Number(node.height) - 1

  test('an account is absent before its first payment, and present after it', async () => {
    const key = balanceKey(stranger(6))
    const before = await client.queryRawProof('bank', key, 7)
    const after = await client.queryRawProof('bank', key, 8)
    expect([before.value, after.value]).toEqual([hex(''), utf8('1000000')])
    verifyStrictly(before, { store: 'bank', key }, await headerAppHash(8))
    verifyStrictly(after, { store: 'bank', key }, await headerAppHash(9))
  })

  test('a proof at the tip waits for the next header, for which one block is made', async () => {
    const tip = Number(node.height)
    const asked = KEYS.slice(0, 8).map(({ store, key }) => client.queryRawProof(store, key, tip))
    for (const found of await Promise.all(asked)) expect(found.height).toBe(tip)
    expect(Number(node.height)).toBe(tip + 1)
    expect((await client.queryRawProof('bank', KEYS[0]!.key)).height).toBe(tip)
  })

  test('a future height, an unknown store or an empty key is refused and makes no block', async () => {
    const tip = Number(node.height)
    const { key } = KEYS[0]!
    await expect(client.queryRawProof('bank', key, tip + 1)).rejects.toThrow(
      `height ${tip + 1} is in the future: the latest height is ${tip}`,
    )
    const rest = (height: number) =>
      fetch(
        `${node.urls.rest}/sdk/base/tendermint/v1beta1/abci_query?path=/store/bank/key&data=AA==&height=${height}&prove=true`,
      )
    const refusal = await rest(tip + 1)
    expect([refusal.status, ((await refusal.json()) as { details: unknown }).details]).toEqual([
      400,
      [{ '@type': '/chain.errors.v1.HeightBounds', requested: `${tip + 1}`, earliest: '1', latest: `${tip}` }],
    ])
    await expect(client.queryRawProof('nowhere', key, tip)).rejects.toThrow('there is no store nowhere in the app hash')
    await expect(client.queryRawProof('bank', hex(''), tip)).rejects.toThrow('query cannot be zero length')
    expect(Number(node.height)).toBe(tip)
  })

  test('the proof of its root shows that a store is empty', async () => {
    const found = await client.queryRawProof('wasm', hex('01'), 4)
    const outer = ics23.CommitmentProof.decode(found.proof.ops[1]!.data).exist!
    const nothing = hex('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    verifyExistence(outer, tendermintSpec, await headerAppHash(5), utf8('wasm'), nothing)
    expect(ics23.CommitmentProof.decode(found.proof.ops[0]!.data).nonexist?.left).toBeFalsy()
  })

  test('GET, POST, REST and gRPC return the same proof', async () => {
    const { store, key } = KEYS[3]!
    const found = await client.queryRawProof(store, key, 4)
    const digits = formatHex(key)
    const get = await fetch(
      `${node.urls.comet}/abci_query?path="/store/${store}/key"&data=0x${digits}&height=4&prove=true`,
    )
    const rest = await fetch(
      `${node.urls.rest}/cosmos/base/tendermint/v1beta1/abci_query?path=/store/${store}/key&data=${encodeURIComponent(Buffer.from(key).toString('base64'))}&height=4&prove=true`,
    )
    const byGet = ((await get.json()) as { result: { response: { proofOps: { ops: unknown } } } }).result.response
    const byRest = (await rest.json()) as { proof_ops: { ops: unknown }; height: string }
    const inBase64 = (op: { type: string; key: Uint8Array; data: Uint8Array }) => ({
      type: op.type,
      key: Buffer.from(op.key).toString('base64'),
      data: Buffer.from(op.data).toString('base64'),
    })
    const ops = found.proof.ops.map(inBase64)
    expect(byGet).toMatchObject({ code: 0, height: '4', proofOps: { ops } })
    expect(byRest).toMatchObject({ code: 0, height: '4', proof_ops: { ops } })
    for (const family of ['sdk', 'cosmos']) {
      const byGrpc = await abciQuery(node, family, { path: `/store/${store}/key`, data: key, height: 4n, prove: true })
      expect(byGrpc.proofOps?.ops.map(inBase64)).toEqual(ops)
    }
  })
})

test('a pruned height has no proof, and the error names the bounds', async () => {
  await using node = await startNode({ store: { keep: 4 } })
  for (let i = 0; i < 12; i++) await node.nextBlock()
  const comet = await connectComet(node.urls.comet)
  const client = QueryClient.withExtensions(comet)
  const { store, key } = KEYS[20]!
  const tip = Number(node.height)
  await expect(client.queryRawProof(store, key, tip - 4)).rejects.toThrow(
    `height ${tip - 4} is pruned: the earliest height is ${tip - 3}`,
  )
  for (const height of [tip - 3, tip - 1, undefined]) {
    const found = await client.queryRawProof(store, key, height)
    verifyStrictly(found, { store, key }, (await comet.commit(found.height + 1)).header.appHash)
  }
  comet.disconnect()
})
