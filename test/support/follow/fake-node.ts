/** A node of the family for followers: it serves the RPC of its engine and streams its changes, and misbehaves when told to. */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Change } from '../../../src/store/types.ts'
import type { NodeHistory } from './node-history.ts'

type Json = Record<string, unknown>

const varint = (value: number): number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(Math.floor(value / 0x80))]
const field = (number: number, bytes: Uint8Array): Uint8Array[] =>
  bytes.length === 0 ? [] : [Uint8Array.from([(number << 3) | 2, ...varint(bytes.length)]), bytes]

/** Encodes a change as `StoreKVPair`, with its length in front. */
export function encodePair({ store, key, value }: Change): Uint8Array {
  const parts = [
    ...field(1, Buffer.from(store)),
    ...(value ? [] : [Uint8Array.of(0x10, 1)]),
    ...field(3, key),
    ...(value ? field(4, value) : []),
  ]
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return Buffer.concat([Uint8Array.from(varint(length)), ...parts])
}

/** Returns the content of a file of the SDK 0.47: the length of the records, and the records. */
export function streamFile(changes: readonly Change[]): Uint8Array {
  const records = Buffer.concat(changes.map(encodePair))
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(BigInt(records.length))
  return Buffer.concat([length, records])
}

export interface FakeNode {
  readonly url: string
  readonly stream: string
  /** The latest height that the node tells of. */
  latest: number
  /** Replaces the answer of a method; undefined leaves it. */
  answer: (method: string, params: Json, result: () => Json) => Json | undefined | Promise<Json | undefined>
  /** Replaces the content of the file of a height; undefined writes none. */
  file: (height: number, content: Uint8Array) => Uint8Array | undefined
  /** The chain that the node has; another one stands for a rollback. */
  history: NodeHistory
  /** Writes the files up to a height, and tells of it. */
  advance(to: number): void
  readonly sent: string[]
  close(): Promise<void>
}

/** Starts a node that has made no block yet. */
export async function startFakeNode(history: NodeHistory, stream: string): Promise<FakeNode> {
  mkdirSync(stream, { recursive: true })
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece: Buffer) => {
      body += piece.toString('utf8')
    })
    request.on('end', () => {
      const parsed = JSON.parse(body) as Json | Json[]
      const calls = Array.isArray(parsed) ? parsed : [parsed]
      Promise.all(calls.map(answerCall)).then(
        (answers) => response.end(JSON.stringify(answers.length === 1 ? answers[0] : answers)),
        () => response.destroy(),
      )
    })
  })

  async function answerCall(call: Json): Promise<Json> {
    const method = String(call['method'])
    const params = (call['params'] ?? {}) as Json
    const base = { jsonrpc: '2.0', id: call['id'] }
    try {
      const replaced = await node.answer(method, params, () => resultOf(method, params))
      return { ...base, result: replaced ?? resultOf(method, params) }
    } catch (error) {
      return { ...base, error: { code: -32603, message: 'Internal error', data: (error as Error).message } }
    }
  }

  function resultOf(method: string, params: Json): Json {
    const { history: chain, latest } = node
    const tip = chain.blocks.get(latest)
    if (method === 'status') {
      return {
        node_info: { network: chain.chainId },
        sync_info: {
          latest_block_hash: tip?.hash ?? '',
          latest_block_height: String(latest),
          latest_block_time: tip?.time ?? '1970-01-01T00:00:00Z',
          earliest_block_height: String(chain.first),
        },
      }
    }
    if (method === 'abci_info') {
      const hash = Buffer.from(tip?.appHashAfter ?? '', 'hex').toString('base64')
      return { response: { last_block_height: String(latest), last_block_app_hash: hash } }
    }
    if (method === 'genesis') return { genesis: chain.genesis }
    if (method === 'broadcast_tx_sync') {
      node.sent.push(String(params['tx']))
      return { code: 0, codespace: '', log: '[]' }
    }
    const height = Number(params['height'] ?? latest)
    const block = height <= latest ? chain.blocks.get(height) : undefined
    if (!block)
      throw new Error(`height ${height} must be less than or equal to the current blockchain height ${latest}`)
    if (method === 'block') return block.block
    if (method === 'block_results') return block.results
    if (method === 'commit') return block.commit
    if (method === 'validators') {
      return { block_height: String(height), validators: block.validators, total: String(block.validators.length) }
    }
    throw new Error(`method ${method} not found`)
  }

  const node: FakeNode = {
    url: '',
    stream,
    latest: 0,
    answer: () => undefined,
    file: (_, content) => content,
    history,
    sent: [],
    advance(to) {
      for (let height = Math.max(node.latest + 1, history.first); height <= to; height++) {
        const content = node.file(height, streamFile(node.history.blocks.get(height)!.changes))
        if (content) writeInPlace(join(stream, `block-${height}-data`), content)
        node.latest = height
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return Object.assign(node, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

/** Writes a file as the reference does: emptied, then in two steps. */
function writeInPlace(path: string, content: Uint8Array): void {
  writeFileSync(path, '')
  const file = openSync(path, 'w', 0o600)
  writeSync(file, content.subarray(0, 8))
  writeSync(file, content.subarray(8))
  closeSync(file)
}
