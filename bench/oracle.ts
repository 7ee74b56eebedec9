/**
 * The cost of the end of a voting period: `npm run bench -- oracle [PERIODS]` (default 20), with 100 validators that vote
 * on 50 pairs. Prints milliseconds for the whole block, for an empty one, and for the same tally in one pass over arrays.
 */
import { create } from '@bufbuild/protobuf'
import { QueryExchangeRatesRequestSchema } from '../src/gen/chain/oracle/v1beta1/query_pb.ts'
import {
  MsgAggregateExchangeRatePrevoteSchema,
  MsgAggregateExchangeRateVoteSchema,
} from '../src/gen/chain/oracle/v1beta1/tx_pb.ts'
import { queries } from '../src/modules/oracle/queries.ts'
import { formatHex, utf8 } from '../src/primitives/bytes.ts'
import { sha256 } from '../src/primitives/hash.ts'
import { GENESIS_NS, type Seat, seatOf, startChain } from '../test/support/oracle-day/chain.ts'
import { SECOND, settingOf } from '../test/support/oracle-day/setting.ts'
import { seededRandom } from '../test/support/random.ts'

const VALIDATORS = 100
const PAIRS = 50
const PERIOD = 4n
const ONE = 10n ** 18n
const WARM_UP = 3
const LIMIT_MS = 50

/** Rates by validator, then by pair. */
type Rates = readonly (readonly bigint[])[]

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >>> 1]!
const shown = (milliseconds: number) => `${milliseconds.toFixed(2)} ms`

/** Returns the processor time so far, which other load on the machine hardly affects. Unit: milliseconds. */
function timed<T>(run: () => T): [T, number] {
  const before = process.cpuUsage()
  const result = run()
  const { user, system } = process.cpuUsage(before)
  return [result, (user + system) / 1000]
}

function root(value: bigint): bigint {
  let guess = BigInt(Math.floor(Math.sqrt(Number(value))))
  while (guess * guess > value) guess--
  while ((guess + 1n) * (guess + 1n) <= value) guess++
  return guess
}

/** Computes the tally without a chain: medians, and each validator's wins, misses and weight. */
function tallyArrays(rates: Rates, powers: readonly bigint[], pairCount: number) {
  const wins = powers.map(() => 0)
  const misses = powers.map(() => 0)
  const weights = powers.map(() => 0n)
  const total = powers.reduce((sum, power) => sum + power, 0n)
  const medians = Array.from({ length: pairCount }, (_, pair) => {
    const ballot = rates.map((list, i) => ({ i, rate: list[pair]! })).sort((a, b) => (a.rate < b.rate ? -1 : 1))
    let running = 0n
    const { rate: middle } = ballot.find(({ i }) => {
      running += powers[i]!
      return running >= total / 2n
    })!
    let squares = 0n
    for (const { rate } of ballot) squares += ((rate - middle) * (rate - middle)) / ONE
    const deviation = root(squares / BigInt(ballot.length)) * 10n ** 9n
    const band = middle / 100n
    const spread = band > deviation ? band : deviation
    for (const { i, rate } of ballot) {
      if (rate < middle - spread || rate > middle + spread) misses[i]!++
      else {
        wins[i]!++
        weights[i]! += powers[i]!
      }
    }
    return middle
  })
  return { medians, wins, misses, weights }
}

const print = (raw: bigint) => `${raw / ONE}.${(raw % ONE).toString().padStart(18, '0')}`

async function run(periods: number): Promise<void> {
  const base = settingOf({
    votePeriod: PERIOD,
    slashWindow: 120n,
    daysBefore: 0n,
    signedWindow: 100n,
    jailSeconds: 600n,
  })
  const pairs = Array.from({ length: PAIRS }, (_, i) => `u${String.fromCharCode(97 + (i % 26))}${i + 10}x:uusd`).sort()
  const seats = Array.from({ length: VALIDATORS }, (_, i) =>
    seatOf(i, 500_000_000n - BigInt(i) * 1_234_567n, ONE / 20n),
  )
  const setting = { ...base, seats, rules: { ...base.rules, pairs } }
  const powers = seats.map(({ tokens }) => tokens / 1_000_000n)
  const chain = startChain(setting)
  const random = seededRandom(1)
  const textOf = (list: readonly bigint[]) => list.map((rate, i) => `(${pairs[i]},${print(rate)})`).join('|')
  const walk = (): Rates =>
    seats.map(() => pairs.map((_, pair) => BigInt(pair + 1) * ONE + BigInt(Math.floor(random() * 1e6)) * 10n ** 10n))
  const signVote = ({ feeder, operator }: Seat, last: string | undefined, next: string) => {
    const hash = formatHex(sha256(utf8(`1:${next}:${operator}`))).slice(0, 40)
    const who = { feeder: feeder.text, validator: operator }
    const promise = { schema: MsgAggregateExchangeRatePrevoteSchema, message: { hash, ...who } }
    const reveal = {
      schema: MsgAggregateExchangeRateVoteSchema,
      message: { salt: '1', exchangeRates: last ?? '', ...who },
    }
    return chain.sign(feeder, last === undefined ? [promise] : [reveal, promise], 175n)
  }

  const ends: number[] = []
  const empties: number[] = []
  const plain: number[] = []
  let last: Rates | undefined
  let height = 0n
  const block = (txs: readonly Uint8Array[]) => {
    height++
    const votes = chain.signers().map((signer) => ({ ...signer, signed: true }))
    return timed(() => chain.makeBlock(GENESIS_NS + height * 5n * SECOND, votes, txs))
  }
  while ((height + 1n) % PERIOD !== 0n) block([])
  for (let period = 0; period <= periods + WARM_UP; period++) {
    const next = walk()
    const revealed = last
    const txs = seats.map((seat, i) => signVote(seat, revealed && textOf(revealed[i]!), textOf(next[i]!)))
    const [{ results }] = block(txs)
    const refused = results.find(({ code }) => code !== 0)
    if (refused) throw new Error(`a vote was refused: ${refused.log}`)
    const [, empty] = block([])
    while ((height + 2n) % PERIOD !== 0n) block([])
    const [, end] = block([])
    last = next
    if (!revealed || period <= WARM_UP) continue
    const [{ medians }, pass] = timed(() => tallyArrays(revealed, powers, PAIRS))
    const request = create(QueryExchangeRatesRequestSchema)
    const { exchangeRates } = chain.read((ctx) => queries.exchangeRates(ctx, request))
    if (exchangeRates.some(({ exchangeRate }, i) => BigInt(exchangeRate) !== medians[i])) {
      throw new Error('the chain and the arrays disagree on a price')
    }
    ends.push(end)
    empties.push(empty)
    plain.push(pass)
  }
  await chain.close()
  const [end, empty, pass] = [ends, empties, plain].map(median) as [number, number, number]
  const most = Math.max(...ends)
  const tally = end - empty
  console.log(`${VALIDATORS} validators, ${PAIRS} pairs, ${ends.length} voting periods; medians of processor time`)
  console.log(`block that ends a period, executed and committed  ${shown(end)} (maximum ${shown(most)})`)
  console.log(`empty block of the same chain                     ${shown(empty)}`)
  console.log(`end of the period                                 ${shown(tally)} (limit ${LIMIT_MS} ms)`)
  console.log(`the same tally in one pass over arrays            ${shown(pass)}`)
  console.log(`ratio                                             ${(tally / pass).toFixed(1)}`)
  if (tally > LIMIT_MS) process.exitCode = 1
}

await run(Number(process.argv[2] ?? 20))
