/** Validators: stake, commission, missed blocks. */
import { ask } from '../api/ask.ts'
import { useHeight } from '../api/height.ts'
import { useAnswer, useLoad, useRound } from '../api/load.ts'
import { useNode } from '../api/node.ts'
import { rest } from '../api/question.ts'
import { readAddress, toBech32 } from '../format/address.ts'
import { formatCount, formatDecimal, formatInteger, formatShare, toUnits } from '../format/amount.ts'
import { Empty, Loaded } from '../ui/loaded.tsx'
import { Fact, Facts, Section } from '../ui/section.tsx'
import { Table } from '../ui/table.tsx'
import { Address, Coin, Hash, Link } from '../ui/values.tsx'
import type { SubjectProps } from './subject-props.ts'
import { VALIDATORS, type Validator, validatorsOf } from './validator-list.ts'

const STATUS: Readonly<Record<string, readonly [text: string, tag: string]>> = {
  BOND_STATUS_BONDED: ['bonded', 'tag tag-good'],
  BOND_STATUS_UNBONDING: ['unbonding', 'tag tag-warn'],
  BOND_STATUS_UNBONDED: ['unbonded', 'tag'],
}

function Status({ validator: { status, jailed } }: { readonly validator: Validator }) {
  if (jailed) return <span class="tag tag-bad">jailed</span>
  const [text, tag] = STATUS[status] ?? [status, 'tag']
  return <span class={tag}>{text}</span>
}

/** Formats a fraction such as 0.05 in percent, exactly. */
function percent(fraction: string): string {
  const [whole = '0', digits = ''] = fraction.split('.')
  const base = BigInt(whole + digits.padEnd(18, '0').slice(0, 18))
  return `${formatDecimal(toUnits(base, 16))} %`
}

/** The list moves with stakes, which change seldom: it is read again with every tenth block. */
const BLOCKS = 10n

export function ValidatorsPage({ item }: SubjectProps) {
  const height = useHeight()
  const round = useRound(BLOCKS)
  const validators = useLoad(['validators', round], (signal) => validatorsOf(height, signal))
  return (
    <Loaded of={validators} lines={8}>
      {(list) => {
        const one = list.find(({ operator_address }) => operator_address === item)
        if (item !== '' && !one) return <Empty>No validator {item} exists at this height.</Empty>
        return (
          <>
            {one && <One validator={one} />}
            <List validators={list} />
          </>
        )
      }}
    </Loaded>
  )
}

function List({ validators }: { readonly validators: readonly Validator[] }) {
  const denom = useNode()?.base_denom ?? ''
  const bonded = validators
    .filter(({ status }) => status === 'BOND_STATUS_BONDED')
    .reduce((sum, { tokens }) => sum + BigInt(tokens), 0n)
  if (validators.length === 0) return <Empty>No validator exists at this height.</Empty>
  return (
    <Section title={formatCount(validators.length, 'validator')} question={VALIDATORS}>
      <Table
        rows={validators}
        keyOf={({ operator_address }) => operator_address}
        columns={[
          {
            name: 'Name',
            cell: ({ operator_address, description }) => (
              <Link to={`/chain/validators/${operator_address}`}>{description.moniker || operator_address}</Link>
            ),
          },
          { name: 'State', cell: (validator) => <Status validator={validator} /> },
          { name: 'Stake', isRight: true, cell: ({ tokens }) => <Coin amount={tokens} denom={denom} /> },
          {
            name: 'Share',
            isRight: true,
            cell: ({ status, tokens }) => (status === 'BOND_STATUS_BONDED' ? formatShare(BigInt(tokens), bonded) : '–'),
          },
          {
            name: 'Commission',
            isRight: true,
            cell: ({ commission }) => percent(commission.commission_rates.rate),
          },
        ]}
      />
    </Section>
  )
}

interface SigningInfo {
  readonly val_signing_info: {
    readonly missed_blocks_counter: string
    readonly jailed_until: string
    readonly tombstoned: boolean
    readonly start_height: string
  }
}

/** Returns the address of a consensus key: the first 20 bytes of its hash. */
async function consensusAddress(prefix: string, key: string): Promise<string> {
  const bytes = Uint8Array.from(atob(key), (letter) => letter.charCodeAt(0))
  // A page over plain HTTP from another machine has no `subtle`.
  const { sha256 } = await import('@noble/hashes/sha2.js')
  return toBech32(prefix, sha256(bytes).subarray(0, 20))
}

function One({ validator }: { readonly validator: Validator }) {
  const height = useHeight()
  const node = useNode()
  const bytes = readAddress(validator.operator_address)
  const { rate, max_rate, max_change_rate } = validator.commission.commission_rates
  const question = rest(`/sdk/staking/v1beta1/validators/${validator.operator_address}`)
  const signing = useLoad([validator.operator_address, height ?? '', node?.chain_id ?? ''], async (signal) => {
    if (!node) return new Promise<never>(() => {})
    const address = await consensusAddress(node.bech32.consensus, validator.consensus_pubkey.key)
    const { val_signing_info } = await ask<SigningInfo>(rest(`/sdk/slashing/v1beta1/signing_infos/${address}`), {
      height,
      signal,
    })
    return { address, info: val_signing_info }
  })
  const misses = useAnswer<{ readonly miss_counter: string }>(
    rest(`/chain/oracle/v1beta1/validators/${validator.operator_address}/miss`),
  )
  return (
    <Section title={validator.description.moniker || 'Validator'} question={question}>
      <Facts>
        <Fact name="Operator">
          <Hash text={validator.operator_address} label="operator address" />
        </Fact>
        {bytes && node && (
          <Fact name="Account">
            <Address address={toBech32(node.bech32.account, bytes)} both />
          </Fact>
        )}
        <Fact name="State">
          <Status validator={validator} />
        </Fact>
        <Fact name="Stake">
          <Coin amount={validator.tokens} denom={node?.base_denom ?? ''} />
        </Fact>
        <Fact name="Commission">
          {percent(rate)}, at most {percent(max_rate)}, changed by at most {percent(max_change_rate)} a day
        </Fact>
        <Fact name="Missed blocks">
          <Loaded of={signing} lines={1}>
            {({ info }) => (
              <>
                {formatInteger(info.missed_blocks_counter)} in the signing window
                {info.tombstoned && <span class="tag tag-bad">tombstoned</span>}
              </>
            )}
          </Loaded>
        </Fact>
        <Fact name="Missed votes">
          <Loaded of={misses} lines={1}>
            {({ miss_counter }) => `${formatInteger(miss_counter)} in the oracle's slash window`}
          </Loaded>
        </Fact>
        {validator.description.details && <Fact name="Details">{validator.description.details}</Fact>}
        {validator.description.website && <Fact name="Website">{validator.description.website}</Fact>}
      </Facts>
    </Section>
  )
}
