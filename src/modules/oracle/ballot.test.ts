import { expect, test } from 'vitest'
import * as decimal from '../../primitives/decimal.ts'
import { type BallotVote, integerRoot, neededPower, passes, tallyBallot } from './ballot.ts'

const dec = (text: string) => decimal.parse(text)!
const BAND = dec('0.02')

/** Parses votes `rate@power`, separated by spaces, in key order. */
function ballot(text: string): BallotVote[] {
  return text.split(' ').map((vote, i) => {
    const [rate = '', power = ''] = vote.split('@')
    return { voter: `v${i}`, rate: dec(rate), power: BigInt(power) }
  })
}

const each = (power: string, ...rates: readonly string[]) => ballot(rates.map((rate) => `${rate}@${power}`).join(' '))
const HUGE = `1${'0'.repeat(56)}`

// Votes, median, deviation, spread, outcomes (w, m, a): docs/modules/oracle.md#formulas.
const VECTORS: readonly (readonly [BallotVote[], string, string, string, string])[] = [
  [ballot('1@1 2@1 10@100 100000@1'), '10', '49995.000362536', '49995.000362536', 'wwwm'],
  [ballot('1@1 2@100 3@100 4@1'), '2', '1.224744871', '1.224744871', 'wwwm'],
  [ballot('1@1 2@1 10@100 100000@1 -99999999999@0 0@0'), '10', '49995.000362536', '49995.000362536', 'wwwmaw'],
  [ballot('100@1 101@1 102@1'), '100', '1.290994448', '1.290994448', 'wwm'],
  [ballot('100@100 101@100 102@100'), '101', '0.816496580', '1.01', 'www'],
  [ballot('100@10 102@10'), '100', '1.414213562', '1.414213562', 'wm'],
  [ballot('100@10 102@11'), '100', '1.414213562', '1.414213562', 'wm'],
  [ballot('100@10 102@12'), '102', '1.414213562', '1.414213562', 'mw'],
  [ballot('0@0 100@10 101@10 102@10'), '101', '0.816496580', '1.01', 'awww'],
  [each('10', '98.9', '99', '100', '101', '101.1'), '100', '0.940212741', '1', 'mwwwm'],
  [each('10', '99', '100', '100', '100', '101', '101.000000000000000001'), '100', '0.707106781', '1', 'wwwwwm'],
  [each('10', '100', '100', '100', '100', '103'), '100', '1.341640786', '1.341640786', 'wwwwm'],
  [ballot('0@0 1@10 5@10 9@10'), '5', '3.265986323', '3.265986323', 'amwm'],
  [
    ballot('64250.123456789@400 64255.5@300 64249.99@200 64300@100 64100.75@50'),
    ...(['64250.123456789', '70.468466966', '642.50123456789', 'wwwww'] as const),
  ],
  [each('25', '0.000012', '0.0000121', '0.0000119', '0.000013'), '0.000012', '0.000000504', '0.000000504', 'wwwm'],
  [ballot('-1@0 100@1'), '100', '0', '1', 'aw'],
  [ballot(`0@0 ${HUGE}@1`), HUGE, '0', `1${'0'.repeat(54)}`, 'aw'],
]

test('median, deviation, spread and outcomes are exact to the last digit', () => {
  for (const [votes, median, deviation, spread, outcomes] of VECTORS) {
    const result = tallyBallot(votes, BAND)
    const letters = result.outcomes.map((outcome) => outcome[0]).join('')
    expect([result.median, result.deviation, result.spread, letters]).toEqual([
      dec(median),
      dec(deviation),
      dec(spread),
      outcomes,
    ])
  }
})

// Ties go to the even number: 2.5 to 2.
test('the needed power is rounded half to even', () => {
  const needed = (threshold: string, powers: readonly bigint[]) =>
    powers.map((power) => neededPower(dec(threshold), power))
  expect(needed('0.333333333333333333', [100n, 10n, 8n, 5n, 2n, 1n])).toEqual([33n, 3n, 3n, 2n, 1n, 0n])
  expect(needed('0.5', [5n, 7n, 1000003n])).toEqual([2n, 4n, 500002n])
})

test('a ballot without power never passes, and abstentions do not count as voters', () => {
  expect(passes(ballot('0@0 -1@0'), 0n, 1n)).toBe(false)
  expect(passes(ballot('5@10 -1@0'), 10n, 2n)).toBe(false)
  expect(passes(ballot('5@10 6@1'), 11n, 2n)).toBe(true)
  expect(passes(ballot('5@10 6@1'), 12n, 2n)).toBe(false)
})

test('the result of a ballot does not depend on the order of its votes', () => {
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
    return seed % below
  }
  for (let round = 0; round < 200; round++) {
    const votes = Array.from({ length: 1 + random(12) }, (_, i): BallotVote => {
      const rate = decimal.fromRaw(BigInt(random(9)) * 10n ** 17n - 10n ** 17n)
      return { voter: `v${i}`, rate, power: rate > 0n ? BigInt(random(5)) : 0n }
    })
    if (!votes.some(({ rate }) => rate > 0n)) continue
    const shuffled = votes.toSorted((a, b) =>
      a.voter.length * 7 + random(3) < b.voter.length * 7 + random(3) ? -1 : 1,
    )
    const [before, after] = [tallyBallot(votes, BAND), tallyBallot(shuffled, BAND)]
    expect([after.median, after.deviation, after.spread]).toEqual([before.median, before.deviation, before.spread])
    for (const [i, vote] of shuffled.entries()) expect(after.outcomes[i]).toBe(before.outcomes[votes.indexOf(vote)])
    expect(before.median > 0n).toBe(true)
  }
})

test('a root is the largest integer whose square fits', () => {
  for (const value of [0n, 1n, 2n, 3n, 4n, 15n, 16n, 10n ** 40n - 1n, 10n ** 40n, 2n ** 300n + 1n]) {
    const root = integerRoot(value)
    expect(root * root <= value && (root + 1n) * (root + 1n) > value).toBe(true)
  }
})
