import { expect, test } from 'vitest'
import { flattenEvents, matchesEvents, matchesMap, parseQuery } from './query.ts'

const transfer = (recipient: string, amount: string) => ({
  type: 'transfer',
  attributes: [
    { key: 'recipient', value: recipient },
    { key: 'amount', value: amount },
  ],
})

test('a query is parsed into conditions, with optional blanks around operators', () => {
  expect(parseQuery("tm.event='Tx' AND tx.height >= 5 AND  a.b<=1.5 AND c.d EXISTS AND e.f CONTAINS 'x y'")).toEqual([
    { key: 'tm.event', operator: '=', operand: { kind: 'text', text: 'Tx' } },
    { key: 'tx.height', operator: '>=', operand: { kind: 'number', text: '5' } },
    { key: 'a.b', operator: '<=', operand: { kind: 'number', text: '1.5' } },
    { key: 'c.d', operator: 'EXISTS', operand: { kind: 'none' } },
    { key: 'e.f', operator: 'CONTAINS', operand: { kind: 'text', text: 'x y' } },
  ])
  expect(parseQuery('a.b > TIME 2020-01-01T00:00:01Z')[0]!.operand).toEqual({
    kind: 'time',
    timeNs: 1_577_836_801_000_000_000n,
  })
  expect(parseQuery('a.b = DATE 2020-01-01')[0]!.operand).toEqual({ kind: 'time', timeNs: 1_577_836_800_000_000_000n })
})

test.each([
  '',
  'a.b',
  'a.b =',
  "a.b = 'x",
  'a.b = x',
  "a.b = 'x' OR c.d = 'y'",
  "a.b = 'x' AND",
  'a.b = 5x',
  'a.b > TIME yesterday',
  "a.b = 'x'AND c.d='y'",
  `a.b = '${'x'.repeat(512)}'`,
])('%j is refused as malformed', (text) => {
  expect(() => parseQuery(text)).toThrow(/query/)
})

test('numbers compare by value, inside a coin and beyond 2^53 too', () => {
  const holds = (query: string, value: string) => matchesMap(parseQuery(query), { 'a.b': [value] })
  expect(holds('a.b > 9', '10unative')).toBe(true)
  expect(holds('a.b = 1.50', '1.5')).toBe(true)
  expect(holds('a.b < 9007199254740993', '9007199254740992')).toBe(true)
  expect(holds('a.b >= 5', 'none')).toBe(false)
  expect(holds("a.b > 'x'", 'y')).toBe(false)
  expect(holds('a.b > DATE 2020-01-01', '2020-01-01T00:00:01Z')).toBe(true)
})

test('a subscription matches conditions over all events, a search within one event', () => {
  const query = parseQuery("transfer.recipient = 'bob' AND transfer.amount = 5")
  const events = [transfer('bob', '7'), transfer('carol', '5')]
  expect(matchesMap(query, flattenEvents(events, {}))).toBe(true)
  expect(matchesEvents(query, events)).toBe(false)
  expect(matchesEvents(query, [...events, transfer('bob', '5')])).toBe(true)
})

test('EXISTS finds an attribute, and a whole event type', () => {
  const events = [transfer('bob', '7')]
  for (const text of ['transfer EXISTS', 'transfer.amount EXISTS']) {
    expect(matchesEvents(parseQuery(text), events)).toBe(true)
    expect(matchesMap(parseQuery(text), flattenEvents(events, {}))).toBe(true)
  }
  for (const text of ['trans EXISTS', 'transfer.sender EXISTS']) {
    expect(matchesEvents(parseQuery(text), events)).toBe(false)
    expect(matchesMap(parseQuery(text), flattenEvents(events, {}))).toBe(false)
  }
})

test('a property that every JavaScript object has does not match as an event', () => {
  const events = [transfer('bob', '7')]
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    for (const text of [`${name} = 'x'`, `${name} EXISTS`, `${name}.name = 'Object'`]) {
      expect(matchesMap(parseQuery(text), flattenEvents(events, {})), text).toBe(false)
      expect(matchesEvents(parseQuery(text), events), text).toBe(false)
    }
  }
})

test('a typed event is named by its full type with its dots', () => {
  const events = [{ type: 'chain.evm.v1.EventTx', attributes: [{ key: 'hash', value: '"0x1"' }] }]
  expect(matchesEvents(parseQuery(`chain.evm.v1.EventTx.hash = '"0x1"'`), events)).toBe(true)
})
