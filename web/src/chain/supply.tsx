/** Inflation and supply, and what was minted between the heights of a chart. */
import { useAnswer, useLoad } from '../api/load.ts'
import { useNode } from '../api/node.ts'
import { type Question, rest } from '../api/question.ts'
import { AskButton } from '../ask/ask.tsx'
import { formatDecimal, formatInteger, formatUnits, toUnits } from '../format/amount.ts'
import { Loaded, Skeleton } from '../ui/loaded.tsx'
import { Fact, Facts, Section } from '../ui/section.tsx'
import { Table } from '../ui/table.tsx'
import { Height } from '../ui/values.tsx'
import { Chart } from './chart.tsx'
import { history } from './history.ts'
import { useRange } from './range.tsx'

interface DecCoin {
  readonly denom: string
  readonly amount: string
}
interface Params {
  readonly params: {
    readonly inflation_enabled: boolean
    readonly epochs_per_period: string
    readonly max_period: string
    readonly has_inflation_started: boolean
  }
}

const DECIMALS = 6

const at = (name: string): Question => rest(`/chain/inflation/v1/${name}`)

/** A fact that one question answers, with its button. */
function Asked<Answer>({
  name,
  question,
  children,
}: {
  readonly name: string
  readonly question: Question
  readonly children: (answer: Answer) => preact.ComponentChildren
}) {
  const answer = useAnswer<Answer>(question)
  return (
    <Fact name={name}>
      <span class="chain-asked">
        <Loaded of={answer} lines={1}>
          {children}
        </Loaded>
        <AskButton question={question} label={name} />
      </span>
    </Fact>
  )
}

/** Moves the point of a decimal text to the left: 1500000.25 by 6 places is `1.50000025`. Exact. */
function shiftPoint(amount: string, places: number): string {
  const [whole = '0', fraction = ''] = amount.split('.')
  const digits = whole.padStart(places + 1, '0')
  const at = digits.length - places
  return `${digits.slice(0, at)}.${digits.slice(at)}${fraction}`
}

/** An amount of base units with a fraction. The native coin is shown in whole units, with every digit. */
function Decimal({ coin: { denom, amount } }: { readonly coin: DecCoin }) {
  const node = useNode()
  const isNative = denom === node?.base_denom
  return (
    <span class="amount" title={`${formatDecimal(amount)} ${denom}`}>
      <span class="num">{formatDecimal(isNative ? shiftPoint(amount, DECIMALS) : amount)}</span>{' '}
      <span class="unit">{isNative ? node.display_denom : denom}</span>
    </span>
  )
}

export function SupplyPage() {
  const denom = useNode()?.base_denom
  return (
    <div class="cards">
      <Section title="Inflation" question={at('params')}>
        <Facts>
          <Asked<Params> name="State" question={at('params')}>
            {({ params }) =>
              params.inflation_enabled ? (
                <span class="tag tag-good">on</span>
              ) : (
                <span class="tag">{params.has_inflation_started ? 'off, was on' : 'off, never was on'}</span>
              )
            }
          </Asked>
          <Asked<{ readonly period: string }> name="Period" question={at('period')}>
            {({ period }) => formatInteger(period)}
          </Asked>
          <Asked<{ readonly epoch_mint_provision: DecCoin }> name="Mint of a day" question={at('epoch_mint_provision')}>
            {({ epoch_mint_provision }) => <Decimal coin={epoch_mint_provision} />}
          </Asked>
          <Asked<{ readonly inflation_rate: string }> name="Rate of a year" question={at('inflation_rate')}>
            {({ inflation_rate }) => `${formatDecimal(inflation_rate)} %`}
          </Asked>
          <Asked<{ readonly skipped_epochs: string }> name="Days without a mint" question={at('skipped_epochs')}>
            {({ skipped_epochs }) => formatInteger(skipped_epochs)}
          </Asked>
          <Asked<{ readonly circulating_supply: DecCoin }> name="Circulating" question={at('circulating_supply')}>
            {({ circulating_supply }) => <Decimal coin={circulating_supply} />}
          </Asked>
        </Facts>
      </Section>
      {denom === undefined ? (
        <Section title="Supply over time">
          <Skeleton lines={9} />
        </Section>
      ) : (
        <SupplyHistory denom={denom} />
      )}
    </div>
  )
}

interface Supply {
  readonly amount: { readonly denom: string; readonly amount: string }
}

function SupplyHistory({ denom }: { readonly denom: string }) {
  const { range, controls } = useRange()
  const unit = useNode()?.display_denom ?? denom
  const question = rest(`/sdk/bank/v1beta1/supply/by_denom?denom=${encodeURIComponent(denom)}`)
  const samples = useLoad([denom, range?.first ?? '', range?.last ?? ''], async (signal) => {
    if (!range) return new Promise<never>(() => {})
    const found = await history<Supply>(question, [range.first, range.last], signal)
    return found.flatMap(({ height, answer }) => (answer ? [{ height, base: BigInt(answer.amount.amount) }] : []))
  })
  return (
    <Section title={`Supply of ${unit}`} question={question} actions={controls}>
      <Loaded
        of={samples}
        lines={9}
        empty="No supply is stored at these heights."
        isEmpty={(found) => found.length === 0}
      >
        {(found) => (
          <>
            <Chart
              points={found.map(({ height, base }) => ({ height, value: toUnits(base, DECIMALS) }))}
              name={`Supply in ${unit}`}
            />
            <Mints samples={found} unit={unit} />
          </>
        )}
      </Loaded>
    </Section>
  )
}

function Mints({
  samples,
  unit,
}: {
  readonly samples: readonly { readonly height: bigint; readonly base: bigint }[]
  readonly unit: string
}) {
  const steps = samples.flatMap((sample, i) => {
    const before = samples[i - 1]
    return before && before.base !== sample.base
      ? [{ from: before.height, to: sample.height, change: sample.base - before.base }]
      : []
  })
  if (steps.length === 0)
    return <p class="muted">The supply is the same at all of these heights: nothing was minted or burned.</p>
  return (
    <section aria-label="Mint history">
      <h3 class="chain-h">Minted and burned</h3>
      <Table
        rows={steps.reverse()}
        keyOf={({ to }) => to.toString()}
        isNarrow
        columns={[
          { name: 'After', cell: ({ from }) => <Height height={from} /> },
          { name: 'Up to', cell: ({ to }) => <Height height={to} /> },
          {
            name: 'Change',
            isRight: true,
            cell: ({ change }) => `${change > 0n ? '+' : ''}${formatUnits(change, DECIMALS)} ${unit}`,
          },
        ]}
      />
    </section>
  )
}
