import { expect, test } from 'vitest'
import { compareBodies, formatPart } from './compare.ts'
import type { AnswerDifference } from './difference.ts'
import { DIFFERENCES } from './differences.ts'
import { judge } from './judge.ts'
import type { Answer, Question } from './questions.ts'

const json = (body: unknown, status = 200): Answer => ({ status, headers: {}, body: JSON.stringify(body) })

function question(reference: Answer, operation = 'bank.Query/Balance'): Question {
  const ask = () => Promise.resolve(reference)
  return { operation, text: `GET /${operation}`, module: 'bank', height: 1, trace: undefined, reference, ask }
}

const verdict = (reference: Answer, ours: Answer, operation?: string, rules = DIFFERENCES) =>
  judge(question(reference, operation), ours, rules)

test('the same JSON in another order and spacing is equal', () => {
  const ours = { status: 200, headers: {}, body: '{ "b": [1, 2], "a": null }\n' }
  expect(verdict(json({ a: null, b: [1, 2] }), ours).verdict).toBe('equal')
})

test('every place that differs is named: values, lengths of lists, absent members', () => {
  const parts = compareBodies('{"a":1,"l":[{"x":"1"},{"x":"2"}],"n":null}', '{"a":"1","l":[{"x":"1"}],"m":0,"n":{}}')
  expect(parts).toEqual([
    { at: 'body.a', reference: 1, ours: '1' },
    { at: 'body.l[1]', reference: { x: '2' }, ours: undefined },
    { at: 'body.n', reference: null, ours: {} },
    { at: 'body.m', reference: undefined, ours: 0 },
  ])
})

test('numbers beyond what a double holds are compared digit by digit', () => {
  expect(compareBodies('{"n":18446744073709551615}', '{"n":18446744073709551614}')).toHaveLength(1)
  expect(compareBodies('{"n":18446744073709551615}', '{"n":18446744073709551615}')).toEqual([])
})

test('bodies that are no JSON are compared as texts', () => {
  expect(compareBodies('Not Found\n', 'Not Found')).toEqual([])
  expect(compareBodies('Not Found', '{}')).toEqual([{ at: 'body', reference: 'Not Found', ours: '{}' }])
})

test('status and the headers that mean something are part of the answer', () => {
  const headers = { 'content-type': 'application/json', 'x-server-time': '1' }
  const ours = { ...json({}, 404), headers: { 'content-type': 'text/plain', 'x-server-time': '2' } }
  const { verdict: result, unlisted } = verdict({ ...json({}), headers }, ours, undefined, [])
  expect([result, unlisted.map(({ at }) => at)]).toEqual(['different', ['status', 'header.content-type']])
})

test('a difference counts as listed only where every part of it is explained', () => {
  const rule: AnswerDifference = {
    id: 'more',
    where: 'balances',
    why: 'have more',
    operation: /^bank\./,
    explains: ({ at, reference }) => at === 'body.more' && reference === undefined,
  }
  const rules = [rule]
  const reference = json({ amount: '1' })
  expect(verdict(reference, json({ amount: '1', more: 1 }), undefined, rules)).toMatchObject({
    verdict: 'listed',
    listed: ['more'],
  })
  expect(verdict(reference, json({ amount: '2', more: 1 }), undefined, rules)).toMatchObject({
    verdict: 'different',
    unlisted: [{ at: 'body.amount', reference: '1', ours: '2' }],
  })
  expect(verdict(reference, json({ amount: '1', more: 1 }), 'auth.Query/Params', rules).verdict).toBe('different')
})

test('a true status explains an error, and nothing but an error', () => {
  const reference = json({ code: 2, message: 'not found', details: [] }, 500)
  const error = { error: 'no such', code: 5, message: 'no such', details: [] }
  expect(verdict(reference, json(error, 404))).toMatchObject({ verdict: 'listed', listed: ['true-status'] })
  expect(verdict(reference, json({ ...error, extra: 1 }, 404)).verdict).toBe('different')
  expect(verdict(json({ balance: '1' }), json(error, 404)).verdict).toBe('different')
})

test('words that differ in a call are explained only where the reference reads zero', () => {
  const answer = (...words: readonly string[]) =>
    json({ result: `0x${words.map((w) => w.padStart(64, '0')).join('')}` })
  expect(verdict(answer('0', '7'), answer('abc', '7'), 'eth_call').verdict).toBe('listed')
  expect(verdict(answer('0', '7'), answer('abc', '8'), 'eth_call').verdict).toBe('different')
  expect(verdict(answer('0'), answer('0', '1'), 'eth_call').verdict).toBe('different')
})

test('long texts are shown from where they part', () => {
  const [reference, ours] = [`${'a'.repeat(300)}x`, `${'a'.repeat(300)}y`]
  expect(formatPart({ at: 'body', reference, ours })).toBe(
    `body (from 280)\n      - "${'a'.repeat(20)}x"\n      + "${'a'.repeat(20)}y"`,
  )
})
