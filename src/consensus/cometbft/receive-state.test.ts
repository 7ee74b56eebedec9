import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import {
  ResponseApplySnapshotChunk_Result as Apply,
  ResponseOfferSnapshot_Result as Offer,
  RequestApplySnapshotChunkSchema,
  RequestOfferSnapshotSchema,
  type Response,
  type Snapshot,
} from '../../gen/tendermint/abci/types_pb.ts'
import { concat, utf8 } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { sha256 } from '../../primitives/hash.ts'
import { createStateReceiver, type RestoreRun } from './receive-state.ts'
import { messageOf, recordOf } from './snapshot-record.ts'

const CHUNKS = ['first', 'second', 'third'].map(utf8)
const RECORD = {
  height: 9n,
  format: 3,
  hash: sha256(concat(...CHUNKS)),
  chunkHashes: CHUNKS.map((chunk) => sha256(chunk)),
}
const APP_HASH = new Uint8Array(32).fill(7)

/** Opens a receiver over restores that keep what they are told. */
function open(fails: Partial<RestoreRun> = {}) {
  const calls: string[] = []
  const receiver = createStateReceiver({
    start: ({ height }) => {
      calls.push(`start ${height}`)
      return {
        async write(chunk) {
          calls.push(`write ${Buffer.from(chunk)}`)
        },
        async finish(appHash) {
          calls.push(`finish ${appHash[0]}`)
        },
        async abandon() {
          calls.push('abandon')
        },
        ...fails,
      }
    },
    log: () => undefined,
  })
  const offer = async (change: Partial<Snapshot> = {}, appHash = APP_HASH) =>
    resultOf(
      await receiver.offer(
        create(RequestOfferSnapshotSchema, { snapshot: { ...messageOf(RECORD), ...change }, appHash }),
      ),
    )
  const apply = async (index: number, chunk: Uint8Array = CHUNKS[index]!, sender = 'peer') =>
    chunkResultOf(await receiver.apply(create(RequestApplySnapshotChunkSchema, { index, chunk, sender })))
  return { calls, receiver, offer, apply }
}

function resultOf({ value }: Response): Offer {
  if (value.case !== 'offerSnapshot') throw new Error(`the answer is ${value.case}`)
  return value.value.result
}

function chunkResultOf({ value }: Response) {
  if (value.case !== 'applySnapshotChunk') throw new Error(`the answer is ${value.case}`)
  const { result, refetchChunks, rejectSenders } = value.value
  return { result, refetchChunks, rejectSenders }
}

const answer = (result: Apply, refetchChunks: number[] = [], rejectSenders: string[] = []) => ({
  result,
  refetchChunks,
  rejectSenders,
})

test('the record of a snapshot survives the message', () => {
  expect(recordOf(messageOf(RECORD))).toEqual(RECORD)
})

test('chunks in order restore the state, once', async () => {
  const { offer, apply, calls, receiver } = open()
  expect(await offer()).toBe(Offer.ACCEPT)
  for (const index of [0, 1, 2]) expect(await apply(index)).toEqual(answer(Apply.ACCEPT))
  expect(calls).toEqual(['start 9', 'write first', 'write second', 'write third', 'finish 7'])
  expect(receiver.isDone()).toBe(true)
  expect(await offer()).toBe(Offer.ABORT)
  expect(await apply(2)).toEqual(answer(Apply.ABORT))
})

test('a wrong chunk is fetched again, from others than its sender', async () => {
  const { offer, apply, calls } = open()
  await offer()
  expect(await apply(0, utf8('lie'), 'liar')).toEqual(answer(Apply.RETRY, [0], ['liar']))
  expect(await apply(0, utf8(''), '')).toEqual(answer(Apply.RETRY, [0]))
  expect(await apply(0)).toEqual(answer(Apply.ACCEPT))
  expect(calls).toEqual(['start 9', 'write first'])
})

test('a repeated chunk is ignored, and an early one waits for those before it', async () => {
  const { offer, apply, calls } = open()
  await offer()
  await apply(0)
  expect(await apply(0)).toEqual(answer(Apply.ACCEPT))
  expect(await apply(0, utf8('lie'), 'liar')).toEqual(answer(Apply.ACCEPT, [], ['liar']))
  expect(await apply(2)).toEqual(answer(Apply.RETRY, [1]))
  expect(await apply(7, utf8('none'), 'liar')).toEqual(answer(Apply.RETRY, [1], ['liar']))
  expect(await apply(1)).toEqual(answer(Apply.ACCEPT))
  expect(calls).toEqual(['start 9', 'write first', 'write second'])
})

test('a snapshot that is wrong is refused with all who sent it, and the next one begins afresh', async () => {
  const lie = queryError('dataLoss', 'the snapshot gives another app hash')
  const { offer, apply, calls } = open({ finish: () => Promise.reject(lie) })
  await offer()
  await apply(0, CHUNKS[0], 'a')
  await apply(1, CHUNKS[1], 'b')
  expect(await apply(2, CHUNKS[2], 'a')).toEqual(answer(Apply.REJECT_SNAPSHOT, [], ['a', 'b']))
  expect(calls.at(-1)).toBe('abandon')
  expect(await apply(2)).toEqual(answer(Apply.ABORT))
  expect(await offer({ height: 8n })).toBe(Offer.ACCEPT)
  expect(calls.at(-1)).toBe('start 8')
})

test('a failure of this node ends state sync, without a word about the peers', async () => {
  const { offer, apply, calls } = open({ write: () => Promise.reject(new Error('the disk is full')) })
  await offer()
  expect(await apply(0)).toEqual(answer(Apply.ABORT))
  expect(calls).toEqual(['start 9', 'abandon'])
})

test('another offer abandons the snapshot before', async () => {
  const { offer, apply, calls } = open()
  await offer()
  await apply(0)
  await offer({ height: 12n })
  expect(calls).toEqual(['start 9', 'write first', 'abandon', 'start 12'])
})

test.each<[Offer, Partial<Snapshot>]>([
  [Offer.REJECT_FORMAT, { format: 2 }],
  [Offer.REJECT, { height: 0n }],
  [Offer.REJECT, { chunks: 2 }],
  [Offer.REJECT, { chunks: 0, metadata: new Uint8Array(0) }],
  [Offer.REJECT, { metadata: utf8('lie') }],
  [Offer.REJECT, { hash: utf8('short') }],
])('refuses an offer (%s)', async (result, change) => {
  const { offer, apply, calls } = open()
  expect(await offer(change)).toBe(result)
  expect(await apply(0)).toEqual(answer(Apply.ABORT))
  expect(calls).toEqual([])
})

test('refuses an offer without a verified app hash', async () => {
  expect(await open().offer({}, new Uint8Array(0))).toBe(Offer.REJECT)
})

test('a snapshot that is too large for this node is refused alone, so that the engine offers another', async () => {
  let starts = 0
  const receiver = createStateReceiver({
    start() {
      starts++
      if (starts === 1) throw queryError('resourceExhausted', 'it has too many chunks')
      return { write: async () => undefined, finish: async () => undefined, abandon: async () => undefined }
    },
    log: () => undefined,
  })
  const request = create(RequestOfferSnapshotSchema, { snapshot: messageOf(RECORD), appHash: APP_HASH })
  expect(resultOf(await receiver.offer(request))).toBe(Offer.REJECT)
  expect(resultOf(await receiver.offer(request))).toBe(Offer.ACCEPT)
})
