/** The changes of blocks from a peer: asked for in batches, the next one while the last one is taken over. */
import { expect, test } from 'vitest'
import { formatBase64, utf8 } from '../../../primitives/bytes.ts'
import type { NodeRpc, RpcOutcome } from '../rpc/node-rpc.ts'
import { encodeRecords } from './change-records.ts'
import { createPeerChanges } from './peer-changes.ts'

const never = new AbortController().signal

/** A peer with blocks up to a height, the first of which it has pruned. */
function peerOf({ latest = 0, earliest = 1, text = 'value' } = {}) {
  const peer = {
    latest,
    text,
    asked: [] as number[],
    answer: undefined as ((from: number) => Promise<RpcOutcome>) | undefined,
  }
  const blockAt = (height: number) => {
    const change = { store: 'bank', key: utf8(`key ${height}`), value: utf8(peer.text) }
    return { height: String(height), changes: formatBase64(encodeRecords([change])) }
  }
  const answerAt = (from: number, count: number): RpcOutcome => {
    if (from > peer.latest) {
      return { refused: `height ${from} must be less than or equal to the current blockchain height ${peer.latest}` }
    }
    if (from < earliest) return { refused: `the changes of height ${from} are not stored` }
    const length = Math.min(count, peer.latest - from + 1)
    return { result: { blocks: Array.from({ length }, (_, i) => blockAt(from + i)) } }
  }
  const rpc: NodeRpc = {
    call: () => Promise.reject(new Error('not asked')),
    async batch(calls) {
      const { from, count } = calls[0]!.params as { from: string; count: string }
      peer.asked.push(Number(from))
      return [(await peer.answer?.(Number(from))) ?? answerAt(Number(from), Number(count))]
    },
    turn: () => undefined,
  }
  return { peer, source: createPeerChanges(rpc), blockAt }
}

test('a thousand blocks are asked for in batches of 500, each before the one before is used up', async () => {
  const { peer, source } = peerOf({ latest: 1200 })
  const askedAt: number[] = []
  for (let height = 1n; height <= 1200n; height++) {
    const before = peer.asked.length
    expect(await source.next(height, never)).toMatchObject({
      height,
      changes: [{ store: 'bank', key: utf8(`key ${height}`) }],
    })
    if (peer.asked.length > before) askedAt.push(Number(height))
  }
  // The request beyond the last block finds no block.
  expect(peer.asked).toEqual([1, 501, 1001, 1201])
  expect(askedAt).toEqual([1, 251, 751, 951])
})

test('at the tip a block is asked for once it is there, and nothing ahead', async () => {
  const { peer, source } = peerOf({ latest: 1 })
  await source.next(1n, never)
  const second = source.next(2n, never)
  setTimeout(() => {
    peer.latest = 2
  }, 120)
  expect(await second).toMatchObject({ height: 2n })
  expect(new Set(peer.asked)).toEqual(new Set([1, 2]))
})

test('a failed request ahead is made again when its blocks are needed', async () => {
  const { peer, source } = peerOf({ latest: 600 })
  await source.next(1n, never)
  peer.answer = () => Promise.reject(new Error('the line is cut'))
  for (let height = 2n; height <= 500n; height++) await source.next(height, never)
  await expect(source.next(501n, never)).rejects.toThrow('the line is cut')
  peer.answer = undefined
  expect(await source.next(501n, never)).toMatchObject({ height: 501n })
})

test('blocks that were asked for before the peer went back are not used', async () => {
  const { peer, source } = peerOf({ latest: 600, text: 'old' })
  for (let height = 1n; height <= 240n; height++) await source.next(height, never)
  let answerOld = (_: RpcOutcome): void => undefined
  peer.answer = () =>
    new Promise((resolve) => {
      answerOld = resolve
    })
  for (let height = 241n; height <= 300n; height++) await source.next(height, never)
  expect(peer.asked).toEqual([1, 501])
  source.forget(290n)
  peer.answer = undefined
  const old = peerOf({ latest: 600, text: 'old' })
  answerOld({ result: { blocks: [old.blockAt(501)] } })
  peer.text = 'new'
  for (const height of [290n, 501n])
    expect(await source.next(height, never)).toMatchObject({ changes: [{ value: utf8('new') }] })
})

test('a height that the peer has pruned is a gap with its reason', async () => {
  const { source } = peerOf({ latest: 20, earliest: 9 })
  expect(await source.next(8n, never)).toEqual({
    until: undefined,
    reason: 'the peer does not have the changes of height 8: the changes of height 8 are not stored',
  })
  expect(await source.next(9n, never)).toMatchObject({ height: 9n })
})

test.each([
  [{}, 'blocks must be a list with entries'],
  [{ blocks: [] }, 'blocks must be a list with entries'],
  [{ blocks: [{ height: '6', changes: '' }] }, 'blocks[0].height must be 5'],
  [{ blocks: [{ height: '5', changes: '!' }] }, 'the changes of height 5 must be records of the change stream'],
  [{ blocks: [{ height: '5', changes: 'BQ==' }] }, 'the changes of height 5 must be records of the change stream'],
])('an answer that is no list of blocks is named: %o', async (result, reason) => {
  const { peer, source } = peerOf({ latest: 20 })
  peer.answer = () => Promise.resolve({ result })
  await expect(source.next(5n, never)).rejects.toMatchObject({
    status: 'dataLoss',
    message: `the answer of the peer is wrong: ${reason}`,
  })
})

test('the wait for a block ends with the follower', async () => {
  const { source } = peerOf({ latest: 3 })
  const abort = new AbortController()
  const found = source.next(4n, abort.signal)
  abort.abort(new Error('the node is stopping'))
  await expect(found).rejects.toThrow()
})
