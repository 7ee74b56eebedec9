/** The stake of an account: delegations, those that end, and rewards. */
import type { QueryDelegatorWithdrawAddressResponse } from '../../../src/gen/sdk/distribution/v1beta1/query_pb.ts'
import type { Coins } from '../api/blocks.ts'
import { SELDOM_MS, useAnswer } from '../api/load.ts'
import { useNode } from '../api/node.ts'
import { rest } from '../api/question.ts'
import type { Wire } from '../api/wire.ts'
import { formatDecimal } from '../format/amount.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Fact, Facts, Section } from '../ui/section.tsx'
import { Address, Coin, ExactTime, Link, Units } from '../ui/values.tsx'
import type { AccountForms } from './forms.ts'

interface Delegations {
  readonly delegation_responses: readonly {
    readonly delegation: { readonly validator_address: string }
    readonly balance: Coins
  }[]
}

interface Unbonding {
  readonly unbonding_responses: readonly {
    readonly validator_address: string
    readonly entries: readonly { readonly completion_time: string; readonly balance: string }[]
  }[]
}

interface Redelegations {
  readonly redelegation_responses: readonly {
    readonly redelegation: { readonly validator_src_address: string; readonly validator_dst_address: string }
    readonly entries: readonly {
      readonly redelegation_entry: { readonly completion_time: string }
      readonly balance: string
    }[]
  }[]
}

interface Rewards {
  readonly rewards: readonly { readonly validator_address: string; readonly reward: readonly Coins[] }[]
  readonly total: readonly Coins[]
}

const ValidatorLink = ({ address }: { readonly address: string }) => (
  <Link to={`/chain/validators/${address}`} class="hash">
    {address}
  </Link>
)

/** Decimals of a reward beside those of its unit. */
const REWARD_DECIMALS = 18
const NATIVE_DECIMALS = 6

/** A reward, which has 18 decimals of the base unit. All of them are shown. */
function Reward({ amount, denom }: Coins) {
  const node = useNode()
  if (denom !== node?.base_denom) {
    return (
      <div class="amount">
        <span class="num">{formatDecimal(amount)}</span> <span class="unit">{denom}</span>
      </div>
    )
  }
  const [whole = '0', fraction = ''] = amount.split('.')
  const base = BigInt(whole + fraction.padEnd(REWARD_DECIMALS, '0'))
  return (
    <div>
      <Units base={base} decimals={REWARD_DECIMALS + NATIVE_DECIMALS} unit={node.display_denom} />
    </div>
  )
}

export function Staking({ forms: { bech32 } }: { readonly forms: AccountForms }) {
  const node = useNode()
  const bond = node?.base_denom ?? ''
  const question = rest(`/sdk/staking/v1beta1/delegations/${bech32}`)
  const delegations = useAnswer<Delegations>(question, SELDOM_MS)
  const unbonding = useAnswer<Unbonding>(
    rest(`/sdk/staking/v1beta1/delegators/${bech32}/unbonding_delegations`),
    SELDOM_MS,
  )
  const moved = useAnswer<Redelegations>(rest(`/sdk/staking/v1beta1/delegators/${bech32}/redelegations`), SELDOM_MS)
  const rewards = useAnswer<Rewards>(rest(`/sdk/distribution/v1beta1/delegators/${bech32}/rewards`), SELDOM_MS)
  const withdraw = useAnswer<Wire<QueryDelegatorWithdrawAddressResponse>>(
    rest(`/sdk/distribution/v1beta1/delegators/${bech32}/withdraw_address`),
    SELDOM_MS,
  )
  return (
    <Section title="Staking" question={question}>
      <Facts>
        <Fact name="Delegated">
          <Loaded of={delegations} lines={1}>
            {({ delegation_responses: all }) =>
              all.length === 0 ? (
                <span class="muted">nothing</span>
              ) : (
                all.map(({ delegation, balance }) => (
                  <div key={delegation.validator_address}>
                    <Coin {...balance} /> <span class="muted">to</span>{' '}
                    <ValidatorLink address={delegation.validator_address} />
                  </div>
                ))
              )
            }
          </Loaded>
        </Fact>
        <Fact name="Rewards">
          <Loaded of={rewards} lines={1}>
            {({ total }) =>
              total.length === 0 ? (
                <span class="muted">nothing</span>
              ) : (
                total.map((coin) => <Reward key={coin.denom} {...coin} />)
              )
            }
          </Loaded>
        </Fact>
        <Fact name="Unbonding">
          <Loaded of={unbonding} lines={1}>
            {({ unbonding_responses: all }) =>
              all.length === 0 ? (
                <span class="muted">nothing</span>
              ) : (
                all.flatMap(({ validator_address, entries }) =>
                  entries.map(({ completion_time, balance }, i) => (
                    <div key={validator_address + i}>
                      <Coin amount={balance} denom={bond} /> <span class="muted">from</span>{' '}
                      <ValidatorLink address={validator_address} /> <ExactTime time={completion_time} />
                    </div>
                  )),
                )
              )
            }
          </Loaded>
        </Fact>
        <Fact name="Redelegated">
          <Loaded of={moved} lines={1}>
            {({ redelegation_responses: all }) =>
              all.length === 0 ? (
                <span class="muted">nothing</span>
              ) : (
                all.flatMap(({ redelegation, entries }) =>
                  entries.map(({ redelegation_entry, balance }, i) => (
                    <div key={redelegation.validator_dst_address + i}>
                      <Coin amount={balance} denom={bond} /> <span class="muted">to</span>{' '}
                      <ValidatorLink address={redelegation.validator_dst_address} />{' '}
                      <ExactTime time={redelegation_entry.completion_time} />
                    </div>
                  )),
                )
              )
            }
          </Loaded>
        </Fact>
        <Fact name="Rewards go to">
          <Loaded of={withdraw} lines={1}>
            {({ withdraw_address }) =>
              withdraw_address === bech32 ? (
                <span class="muted">this account</span>
              ) : (
                <Address address={withdraw_address} both />
              )
            }
          </Loaded>
        </Fact>
      </Facts>
    </Section>
  )
}
