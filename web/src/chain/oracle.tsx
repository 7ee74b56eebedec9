/** Prices of the oracle, their history, and what each validator voted. */
import { ask } from '../api/ask.ts'
import { useHeight } from '../api/height.ts'
import { useAnswer, useLoad, useRound } from '../api/load.ts'
import { rest } from '../api/question.ts'
import { AskButton } from '../ask/ask.tsx'
import { formatDecimal, formatInteger } from '../format/amount.ts'
import { mapFew } from '../time/few.ts'
import { Empty, Failure, Loaded, Skeleton } from '../ui/loaded.tsx'
import { Section } from '../ui/section.tsx'
import { Table } from '../ui/table.tsx'
import { Height, Link } from '../ui/values.tsx'
import { Chart, type Point } from './chart.tsx'
import { history } from './history.ts'
import { useRange } from './range.tsx'
import type { SubjectProps } from './subject-props.ts'
import { type Validator, validatorsOf } from './validator-list.ts'

interface Rate {
  readonly exchange_rate: string
  readonly block_timestamp_ms: string
  readonly block_height: string
  readonly is_vintage: boolean
}
interface Rates {
  readonly exchange_rates: readonly { readonly pair: string; readonly exchange_rate: string }[]
}

const rateQuestion = (pair: string) => rest(`/chain/oracle/v1beta1/exchange_rate?pair=${encodeURIComponent(pair)}`)
const RATES = rest('/chain/oracle/v1beta1/pairs/exchange_rates')

export function OraclePage({ item }: SubjectProps) {
  const rates = useAnswer<Rates>(RATES)
  const pair = item || rates.value?.exchange_rates[0]?.pair
  return (
    <>
      <div class="cards">
        <Section title="Prices" question={RATES}>
          <Loaded
            of={rates}
            lines={6}
            empty="No pair has a price at this height."
            isEmpty={({ exchange_rates }) => exchange_rates.length === 0}
          >
            {({ exchange_rates }) => <Prices rates={exchange_rates} shown={pair} />}
          </Loaded>
        </Section>
        {pair === undefined ? (
          <Section title="History">
            {rates.value ? <Empty>There is no pair to show.</Empty> : <Skeleton lines={9} />}
          </Section>
        ) : (
          <History key={pair} pair={pair} />
        )}
      </div>
      <Votes pair={pair} />
    </>
  )
}

function Prices({ rates, shown }: { readonly rates: Rates['exchange_rates']; readonly shown: string | undefined }) {
  return (
    <Table
      rows={rates}
      keyOf={({ pair }) => pair}
      chosen={shown}
      isNarrow
      columns={[
        { name: 'Pair', cell: ({ pair }) => <Link to={`/chain/oracle/${pair}`}>{pair}</Link> },
        { name: 'Price', isRight: true, cell: ({ exchange_rate }) => formatDecimal(exchange_rate) },
        {
          name: 'Question',
          isRight: true,
          cell: ({ pair }) => <AskButton question={rateQuestion(pair)} label={`the price of ${pair}`} />,
        },
      ]}
    />
  )
}

/** Returns the points of a chart; a price of a voting period is the same at each of its heights. */
function History({ pair }: { readonly pair: string }) {
  const { range, controls } = useRange()
  const question = rateQuestion(pair)
  const current = useAnswer<Rate>(question)
  const samples = useLoad([pair, range?.first ?? '', range?.last ?? ''], async (signal): Promise<readonly Point[]> => {
    if (!range) return new Promise(() => {})
    const found = await history<Rate>(question, [range.first, range.last], signal)
    return found.map(({ height, answer }) => ({ height, value: answer?.exchange_rate }))
  })
  return (
    <Section title={pair} question={question} actions={controls}>
      {current.value && (
        <p class="chain-figure">
          <strong class="num">{formatDecimal(current.value.exchange_rate)}</strong>{' '}
          <span class="muted">
            voted in block <Height height={current.value.block_height} />
          </span>{' '}
          {current.value.is_vintage && <span class="tag tag-warn">vintage: no newer price</span>}
        </p>
      )}
      <Loaded
        of={samples}
        lines={9}
        empty="The pair has no price at these heights."
        isEmpty={(points) => points.every(({ value }) => value === undefined)}
      >
        {(points) => <Chart points={points} name={pair} />}
      </Loaded>
    </Section>
  )
}

interface Vote {
  readonly voter: string
  readonly exchange_rate_tuples: readonly { readonly pair: string; readonly exchange_rate: string }[]
}

/** Validators whose misses are asked for, each by a question of its own. */
const MAX_VOTERS = 100

interface Voter {
  readonly validator: Validator
  readonly misses: string
  readonly vote: Vote | undefined
}

async function votersAt(height: bigint | undefined, signal: AbortSignal): Promise<readonly Voter[]> {
  const [validators, { aggregate_votes }] = await Promise.all([
    validatorsOf(height, signal, 'BOND_STATUS_BONDED'),
    ask<{ readonly aggregate_votes: readonly Vote[] }>(rest('/chain/oracle/v1beta1/validators/aggregate_votes'), {
      height,
      signal,
    }),
  ])
  return mapFew(validators.slice(0, MAX_VOTERS), async (validator) => {
    const path = `/chain/oracle/v1beta1/validators/${validator.operator_address}/miss`
    const { miss_counter } = await ask<{ readonly miss_counter: string }>(rest(path), { height, signal })
    return {
      validator,
      misses: miss_counter,
      vote: aggregate_votes.find(({ voter }) => voter === validator.operator_address),
    }
  })
}

/** Votes exist for a part of a voting period, so that they are read again only with every third block. */
const VOTE_BLOCKS = 3n

function Votes({ pair }: { readonly pair: string | undefined }) {
  const height = useHeight()
  const round = useRound(VOTE_BLOCKS)
  const voters = useLoad(['voters', round], (signal) => votersAt(height, signal))
  if (voters.error) {
    return (
      <Section title="Votes">
        <Failure error={voters.error} />
      </Section>
    )
  }
  return (
    <Section title="Votes of the validators" question={rest('/chain/oracle/v1beta1/validators/aggregate_votes')}>
      <Loaded
        of={voters}
        lines={5}
        empty="No validator is bonded at this height."
        isEmpty={(found) => found.length === 0}
      >
        {(found) => (
          <>
            <Table
              rows={found}
              keyOf={({ validator }) => validator.operator_address}
              columns={[
                {
                  name: 'Validator',
                  cell: ({ validator }) => (
                    <Link to={`/chain/validators/${validator.operator_address}`}>{validator.description.moniker}</Link>
                  ),
                },
                { name: 'Misses in this window', isRight: true, cell: ({ misses }) => formatInteger(misses) },
                {
                  name: 'Open vote',
                  cell: ({ vote }) =>
                    vote ? (
                      <span class="tag tag-good">{vote.exchange_rate_tuples.length} pairs</span>
                    ) : (
                      <span class="tag">none at this height</span>
                    ),
                },
                { name: pair ?? 'Price', isRight: true, cell: ({ vote }) => rateOf(vote, pair) },
              ]}
            />
            {found.length === MAX_VOTERS && <p class="muted">The first {MAX_VOTERS} validators are shown.</p>}
          </>
        )}
      </Loaded>
    </Section>
  )
}

function rateOf(vote: Vote | undefined, pair: string | undefined): preact.ComponentChild {
  const rate = vote?.exchange_rate_tuples.find((tuple) => tuple.pair === pair)?.exchange_rate
  if (rate === undefined) return <span class="muted">–</span>
  return /^-|^0(\.0*)?$/.test(rate) ? <span class="tag">abstained</span> : formatDecimal(rate)
}
