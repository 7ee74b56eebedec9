/** An account that operates a validator: its stake, and its votes on prices. */
import { ask } from '../api/ask.ts'
import { useHeight } from '../api/height.ts'
import { SELDOM_MS, useLoad, useMoment } from '../api/load.ts'
import { useNode } from '../api/node.ts'
import { rest } from '../api/question.ts'
import { formatDecimal, formatInteger } from '../format/amount.ts'
import { Fact, Facts, Section } from '../ui/section.tsx'
import { Address, Coin, Link } from '../ui/values.tsx'
import type { AccountForms } from './forms.ts'

interface ValidatorJson {
  readonly operator_address: string
  readonly status: string
  readonly jailed: boolean
  readonly tokens: string
  readonly description: { readonly moniker: string }
}

interface Votes {
  readonly aggregate_votes: readonly {
    readonly voter: string
    readonly exchange_rate_tuples: readonly { readonly pair: string; readonly exchange_rate: string }[]
  }[]
}

export function Validator({ forms: { validator } }: { readonly forms: AccountForms }) {
  const height = useHeight()
  const node = useNode()
  const question = rest(`/sdk/staking/v1beta1/validators/${validator}`)
  const found = useLoad([validator, useMoment(SELDOM_MS)], async (signal) => {
    const at = { height, signal }
    const oracle = '/chain/oracle/v1beta1/validators'
    // Asked as lists: most accounts operate no validator, one without an open vote is usual, and neither is a failure.
    const { validators } = await ask<{ validators: readonly ValidatorJson[] }>(
      rest('/sdk/staking/v1beta1/validators?pagination.limit=1000'),
      at,
    )
    const one = validators.find(({ operator_address }) => operator_address === validator)
    if (!one) return undefined
    const [votes, miss, feeder] = await Promise.all([
      ask<Votes>(rest(`${oracle}/aggregate_votes`), at).catch(() => undefined),
      ask<{ miss_counter: string }>(rest(`${oracle}/${validator}/miss`), at).catch(() => undefined),
      ask<{ feeder_addr: string }>(rest(`${oracle}/${validator}/feeder`), at).catch(() => undefined),
    ])
    const vote = votes?.aggregate_votes.find(({ voter }) => voter === validator)?.exchange_rate_tuples
    return { ...one, vote, miss, feeder }
  })
  const shown = found.value
  if (!shown) return null
  return (
    <Section title="Validator" question={question}>
      <Facts>
        <Fact name="Operator">
          <Link to={`/chain/validators/${validator}`} class="hash">
            {validator}
          </Link>
        </Fact>
        <Fact name="Name">{shown.description.moniker}</Fact>
        <Fact name="Status">
          {shown.status.replace('BOND_STATUS_', '').toLowerCase()}
          {shown.jailed && <span class="tag tag-bad">jailed</span>}
        </Fact>
        <Fact name="Stake">
          <Coin amount={shown.tokens} denom={node?.base_denom ?? ''} />
        </Fact>
        <Fact name="Votes on prices">
          {shown.vote
            ? shown.vote.map(({ pair, exchange_rate }) => (
                <div key={pair}>
                  <Link to={`/chain/oracle/${pair}`}>{pair}</Link>{' '}
                  <span class="num">{formatDecimal(exchange_rate)}</span>
                </div>
              ))
            : 'no vote in this period'}
        </Fact>
        {shown.miss && (
          <Fact name="Missed votes">
            <span class="num">{formatInteger(shown.miss.miss_counter)}</span>
          </Fact>
        )}
        {shown.feeder && (
          <Fact name="Feeder">
            <Address address={shown.feeder.feeder_addr} both />
          </Fact>
        )}
      </Facts>
    </Section>
  )
}
