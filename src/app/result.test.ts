import { expect, test } from 'vitest'
import { logOf } from './result.ts'

const event = (type: string) => ({ type, attributes: [{ key: 'amount', value: '"5"' }] })

test('the log of a success lists the events of each message, without those of admission', () => {
  const events = ['tx', 'message', 'transfer', 'message'].map(event)
  // Written by hand: the form that clients of CometBFT 0.37 parse.
  const shown = (type: string) => `{"type":"${type}","attributes":[{"key":"amount","value":"\\"5\\""}]}`
  expect(logOf({ log: [1, 3], events })).toBe(
    `[{"msg_index":0,"events":[${shown('message')},${shown('transfer')}]},{"msg_index":1,"events":[${shown('message')}]}]`,
  )
})

test('the log of a failure is its text', () => {
  expect(logOf({ log: 'out of gas', events: [event('tx')] })).toBe('out of gas')
})
