import { readFileSync } from 'node:fs'
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { Client, credentials } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TxDecodeAminoRequestSchema, TxDecodeAminoResponseSchema } from '../../gen/sdk/tx/v1beta1/service_pb.ts'
import { identityOf } from '../../identity/profiles.ts'
import { type Node, startNode } from '../../index.ts'
import { formatHex, hex } from '../../primitives/bytes.ts'
import { aminoTxOf } from './amino-tx.ts'

interface Vector {
  readonly name: string
  /** Amino JSON, its binary, and the JSON of that, as Cosmos SDK 0.47.11 writes them. */
  readonly json: string
  readonly hex: string
  readonly back: string
}

const vectors = JSON.parse(readFileSync(new URL('amino-tx.vectors.json', import.meta.url), 'utf8')) as readonly Vector[]
const codec = aminoTxOf(identityOf('almanac'))
const [transfer] = vectors as [Vector]

describe('as the Cosmos SDK', () => {
  test.each(vectors)('$name', ({ json, hex: bytes, back }) => {
    expect(formatHex(codec.encode(json))).toBe(bytes)
    // The SDK shows an absent expiration as 1970, which is no expiration of a grant.
    expect(codec.decode(hex(bytes))).toBe(back.replace(',"expiration":"1970-01-01T00:00:00Z"', ''))
  })
})

test('messages of the chain have an amino form, too, in the names of the profile', () => {
  const message = { type: 'nibiru/tokenfactory/create-denom', value: { sender: 'nibi1x', subdenom: 'gold' } }
  const fee = { amount: [], gas: '1' }
  const json = JSON.stringify({
    type: 'cosmos-sdk/StdTx',
    value: { msg: [message], fee, signatures: null, memo: '', timeout_height: '0' },
  })
  const nibiru = aminoTxOf(identityOf('nibiru'))
  expect(nibiru.decode(nibiru.encode(json))).toBe(json)
})

const tx = (value: object) => JSON.stringify({ type: 'cosmos-sdk/StdTx', value })

test.each([
  ['not JSON', '{'],
  ['type: expected "cosmos-sdk/StdTx", got "x"', '{"type":"x"}'],
  ['value.extra: expected one of msg, fee', tx({ extra: 1 })],
  ['msg[0]', tx({ msg: [{ type: 'cosmos-sdk/MsgNope', value: {} }] })],
  ['msg[0].amount', tx({ msg: [{ type: 'cosmos-sdk/MsgSend', value: { amount: 'x' } }] })],
  ['fee.gas: expected a text of digits', tx({ fee: { gas: '-1' } })],
  ['fee.amount: expected a list', tx({ fee: { amount: {} } })],
  ['signatures[0].signature: expected bytes in base64', tx({ signatures: [{ signature: '§' }] })],
  ['memo: expected a text, got 5', tx({ memo: 5 })],
])('refused JSON: %s', (text, json) => {
  expect(() => codec.encode(json)).toThrow(expect.objectContaining({ status: 'invalidArgument' }))
  if (text !== 'not JSON') expect(() => codec.encode(json)).toThrow(text)
})

test.each([
  ['another prefix', '00'],
  ['no type has the prefix 00000000', '282816a90a0400000000'],
  ['fewer than four bytes', '282816a90a0100'],
  ['no field at position 9', '282816a94a00'],
  ['field 5 of cosmos-sdk/StdTx has wire type 2, not 0', '282816a92a00'],
  // A MsgSend with a field 9.
  ['sdk.bank.v1beta1.MsgSend has no field at position 9', '282816a90a06a8a3619a4a00'],
])('refused bytes: %s', (text, bytes) => {
  expect(() => codec.decode(hex(bytes))).toThrow(expect.objectContaining({ status: 'invalidArgument' }))
  expect(() => codec.decode(hex(bytes))).toThrow(text)
})

test('every cut of a transaction is refused or a shorter transaction, and none is a bug', () => {
  for (const { hex: text } of vectors) {
    const bytes = hex(text)
    for (let length = 0; length < bytes.length; length++) {
      try {
        codec.decode(bytes.subarray(0, length))
      } catch (error) {
        expect(error).toMatchObject({ status: 'invalidArgument' })
      }
    }
  }
})

test('executions within executions are refused at the limit of levels', () => {
  let message: object = { type: 'cosmos-sdk/MsgSend', value: { amount: [] } }
  for (let i = 0; i < 40; i++) message = { type: 'cosmos-sdk/MsgExec', value: { msgs: [message] } }
  expect(() => codec.decode(codec.encode(tx({ msg: [message] })))).toThrow(/levels|nested/)
})

describe('a node', () => {
  let node: Node
  beforeAll(async () => {
    node = await startNode()
  })
  afterAll(() => node.stop())

  const post = async (path: string, body: object) => {
    const response = await fetch(`${node.urls.rest}/cosmos/tx/v1beta1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Record<string, string> }
  }

  test('encodes and decodes over REST', async () => {
    const encoded = await post('encode/amino', { amino_json: transfer.json })
    expect(encoded).toMatchObject({ status: 200 })
    expect(Buffer.from(encoded.body['amino_binary']!, 'base64').toString('hex')).toBe(transfer.hex)
    const decoded = await post('decode/amino', { amino_binary: encoded.body['amino_binary'] })
    expect(decoded.body['amino_json']).toBe(transfer.back)
    expect(await post('encode/amino', {})).toMatchObject({ status: 400, body: { message: 'invalid empty tx json' } })
    expect(await post('decode/amino', {})).toMatchObject({ status: 400, body: { message: 'invalid empty tx bytes' } })
    expect((await post('encode/amino', { amino_json: '{}' })).status).toBe(400)
  })

  test('decodes over gRPC', async () => {
    const client = new Client(node.urls.grpc, credentials.createInsecure())
    const pass = (bytes: Buffer) => bytes
    const request = toBinary(TxDecodeAminoRequestSchema, {
      $typeName: TxDecodeAminoRequestSchema.typeName,
      aminoBinary: hex(transfer.hex),
    })
    const bytes = await new Promise<Buffer>((resolve, reject) => {
      const path = '/cosmos.tx.v1beta1.Service/TxDecodeAmino'
      client.makeUnaryRequest(path, pass, pass, Buffer.from(request), (error, answer) =>
        error ? reject(error) : resolve(answer!),
      )
    })
    client.close()
    expect(fromBinary(TxDecodeAminoResponseSchema, bytes).aminoJson).toBe(transfer.back)
  })
})
