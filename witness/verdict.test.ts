import { expect, test } from 'vitest'
import { compareBodies, formatMismatch } from './compare.ts'
import type { AnswerDifference } from './difference.ts'
import { DIFFERENCES } from './differences.ts'
import type { Answer, Question } from './questions.ts'
import { compareAnswers } from './verdict.ts'

const json = (body: unknown, status = 200): Answer => ({ status, headers: {}, body: JSON.stringify(body) })

function question(reference: Answer, operation = 'bank.Query/Balance'): Question {
  const ask = () => Promise.resolve(reference)
  return {
    operation,
    text: `GET /${operation}`,
    module: 'bank',
    height: 1,
    lowest: 1,
    trace: undefined,
    reference,
    ask,
  }
}

const verdict = (reference: Answer, ours: Answer, operation?: string, rules = DIFFERENCES) =>
  compareAnswers(question(reference, operation), ours, rules)

test('the same JSON in another order and spacing is equal', () => {
  const ours = { status: 200, headers: {}, body: '{ "b": [1, 2], "a": null }\n' }
  expect(verdict(json({ a: null, b: [1, 2] }), ours).verdict).toBe('equal')
})

test('every difference has its path: values, lengths of lists, absent members', () => {
  const mismatches = compareBodies(
    '{"a":1,"l":[{"x":"1"},{"x":"2"}],"n":null}',
    '{"a":"1","l":[{"x":"1"}],"m":0,"n":{}}',
  )
  expect(mismatches).toEqual([
    { at: 'body.a', reference: 1, ours: '1' },
    { at: 'body.l[1]', reference: { x: '2' }, ours: undefined },
    { at: 'body.n', reference: null, ours: {} },
    { at: 'body.m', reference: undefined, ours: 0 },
  ])
})

test('numbers that a double cannot represent are compared by their digits', () => {
  expect(compareBodies('{"n":18446744073709551615}', '{"n":18446744073709551614}')).toHaveLength(1)
  expect(compareBodies('{"n":18446744073709551615}', '{"n":18446744073709551615}')).toEqual([])
})

test('bodies that are not JSON are compared as texts', () => {
  expect(compareBodies('Not Found\n', 'Not Found')).toEqual([])
  expect(compareBodies('Not Found', '{}')).toEqual([{ at: 'body', reference: 'Not Found', ours: '{}' }])
})

test('the status and some of the headers are compared', () => {
  const headers = { 'content-type': 'application/json', 'x-server-time': '1' }
  const ours = { ...json({}, 404), headers: { 'content-type': 'text/plain', 'x-server-time': '2' } }
  const { verdict: result, unlisted } = verdict({ ...json({}), headers }, ours, undefined, [])
  expect([result, unlisted.map(({ at }) => at)]).toEqual(['different', ['status', 'header.content-type']])
})

test('an answer counts as listed only if every mismatch is explained', () => {
  const rule: AnswerDifference = {
    id: 'more',
    where: 'balances',
    explanation: 'The answer has more members.',
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

test('the rule about statuses explains errors only', () => {
  const reference = json({ code: 2, message: 'not found', details: [] }, 500)
  const error = { error: 'no such', code: 5, message: 'no such', details: [] }
  expect(verdict(reference, json(error, 404))).toMatchObject({ verdict: 'listed', listed: ['true-status'] })
  expect(verdict(reference, json({ ...error, extra: 1 }, 404)).verdict).toBe('different')
  expect(verdict(json({ balance: '1' }), json(error, 404)).verdict).toBe('different')
})

test('a different word of a call is explained only if it is zero in the reference', () => {
  const answer = (...words: readonly string[]) =>
    json({ result: `0x${words.map((w) => w.padStart(64, '0')).join('')}` })
  expect(verdict(answer('0', '7'), answer('abc', '7'), 'eth_call').verdict).toBe('listed')
  expect(verdict(answer('0', '7'), answer('abc', '8'), 'eth_call').verdict).toBe('different')
  expect(verdict(answer('0'), answer('0', '1'), 'eth_call').verdict).toBe('different')
})

test('long texts are shown from shortly before their first difference', () => {
  const [reference, ours] = [`${'a'.repeat(300)}x`, `${'a'.repeat(300)}y`]
  expect(formatMismatch({ at: 'body', reference, ours })).toBe(
    `body (from 280)\n      - "${'a'.repeat(20)}x"\n      + "${'a'.repeat(20)}y"`,
  )
})
