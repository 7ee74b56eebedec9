import { expect, test } from 'vitest'
import type { TxResult } from '../../app/records.ts'
import { utf8 } from '../../primitives/bytes.ts'
import { checkAnswer, eventsOf, resultOf, shortResultOf, updatesOf } from './answers.ts'

const event = { type: 'transfer', attributes: [{ key: 'amount', value: '5unative' }] }
const result: TxResult = {
  code: 0,
  codespace: '',
  log: [0],
  info: '',
  data: utf8('data'),
  gasWanted: -1n,
  gasUsed: 7n,
  events: [event],
}

test('events are indexed, in their order', () => {
  expect(eventsOf([event, { type: 'tx', attributes: [] }])).toMatchObject([
    { type: 'transfer', attributes: [{ key: 'amount', value: '5unative', index: true }] },
    { type: 'tx', attributes: [] },
  ])
})

test('a result keeps the gas that is hashed, and its log is text', () => {
  const success = resultOf(result)
  expect(success).toMatchObject({ code: 0, data: utf8('data'), gasWanted: -1n, gasUsed: 7n })
  expect(JSON.parse(success.log)).toMatchObject([{ events: [{ type: 'transfer' }] }])
  expect(resultOf({ ...result, code: 5, codespace: 'sdk', log: 'insufficient funds' })).toMatchObject({
    code: 5,
    codespace: 'sdk',
    log: 'insufficient funds',
  })
})

test('a short result of a success has its events once, and that of a failure its reason', () => {
  const { log, ...rest } = resultOf(result)
  expect(log).not.toBe('')
  expect(shortResultOf(result)).toEqual({ ...rest, log: '' })
  expect(shortResultOf({ ...result, code: 5, log: 'insufficient funds' }).log).toBe('insufficient funds')
})

test('a change of the validators has a key and a power, which is 0 for one that leaves', () => {
  const publicKey = new Uint8Array(32).fill(3)
  const [update] = updatesOf([{ address: new Uint8Array(20), publicKey, power: 0n }])
  expect(update).toMatchObject({ pubKey: { sum: { case: 'ed25519', value: publicKey } }, power: 0n })
})

test('an answer to CheckTx never has negative gas', () => {
  const admission = { code: 0, codespace: '', log: '', gasWanted: -1n, gasUsed: 3n }
  expect(checkAnswer(admission)).toMatchObject({ code: 0, gasWanted: 0n, gasUsed: 3n })
  expect(checkAnswer({ ...admission, code: 13, log: 'no fee', gasWanted: 9n })).toMatchObject({
    code: 13,
    log: 'no fee',
    gasWanted: 9n,
  })
})
