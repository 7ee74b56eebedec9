/** Denoms of the bank: supply, who can mint those of the token factory, and their ERC-20s. */
import { useState } from 'preact/hooks'
import { ApiError, ask } from '../api/ask.ts'
import { useHeight } from '../api/height.ts'
import { useAnswer, useLoad, useRound } from '../api/load.ts'
import { type Question, rest } from '../api/question.ts'
import { formatInteger } from '../format/amount.ts'
import { mapFew } from '../time/few.ts'
import { Empty, Loaded } from '../ui/loaded.tsx'
import { Fact, Facts, Section } from '../ui/section.tsx'
import { Table } from '../ui/table.tsx'
import { Address, Coin, Link, Units } from '../ui/values.tsx'
import type { SubjectProps } from './subject-props.ts'

interface CoinAmount {
  readonly denom: string
  readonly amount: string
}
interface Supply {
  readonly supply: readonly CoinAmount[]
  readonly pagination: { readonly next_key: string | null }
}
interface FunToken {
  readonly erc20_addr: string
  readonly bank_denom: string
  readonly is_made_from_coin: boolean
}

const PAGE = 25
const inPath = (denom: string): string => encodeURIComponent(denom)
const supplyPage = (key: string): Question =>
  rest(`/sdk/bank/v1beta1/supply?pagination.limit=${PAGE}${key && `&pagination.key=${encodeURIComponent(key)}`}`)
const funtokenOf = (denom: string): Question => rest(`/chain/evm/v1/funtoken/${inPath(denom)}`)

/** Asks for what may not exist: undefined then. */
async function askIfAny<Answer>(
  question: Question,
  height: bigint | undefined,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  try {
    return await ask<Answer>(question, { height, signal })
  } catch (error) {
    if (error instanceof ApiError && error.status >= 400 && error.status < 500) return undefined
    throw error
  }
}

const originOf = (denom: string): string => {
  if (/^(factory|tf)\//.test(denom)) return 'token factory'
  if (denom.startsWith('erc20/')) return 'ERC-20'
  if (denom.startsWith('ibc/')) return 'IBC'
  return 'chain'
}

/** Supplies change with blocks, mappings seldom: a page of the list is read again with every tenth block. */
const BLOCKS = 10n

export function DenomsPage({ item }: SubjectProps) {
  const height = useHeight()
  const [keys, setKeys] = useState<readonly string[]>([''])
  const question = supplyPage(keys.at(-1)!)
  const round = useRound(BLOCKS)
  const page = useLoad([keys.at(-1), round], async (signal) => {
    const { supply, pagination } = await ask<Supply>(question, { height, signal })
    const rows = await mapFew(supply, async (coin) => ({
      coin,
      mapping:
        (await askIfAny<{ readonly fun_token: FunToken | null }>(funtokenOf(coin.denom), height, signal))?.fun_token ??
        undefined,
    }))
    return { rows, next: pagination.next_key }
  })
  return (
    <>
      {item !== '' && <One key={item} denom={item} />}
      <Section title="Denoms" question={question}>
        <Loaded of={page} lines={8} empty="No coin exists at this height." isEmpty={({ rows }) => rows.length === 0}>
          {({ rows, next }) => (
            <>
              <Table
                rows={rows}
                keyOf={({ coin }) => coin.denom}
                chosen={item}
                columns={[
                  {
                    name: 'Denom',
                    class: 'mono',
                    cell: ({ coin: { denom } }) => <Link to={`/chain/denoms/${denom}`}>{denom}</Link>,
                  },
                  { name: 'From', cell: ({ coin }) => originOf(coin.denom) },
                  { name: 'Supply, base units', isRight: true, cell: ({ coin }) => formatInteger(coin.amount) },
                  {
                    name: 'ERC-20',
                    cell: ({ mapping }) =>
                      mapping ? <Address address={mapping.erc20_addr} short /> : <span class="muted">none</span>,
                  },
                ]}
              />
              {(keys.length > 1 || next) && (
                <div class="chain-pager">
                  <button type="button" disabled={keys.length === 1} onClick={() => setKeys(keys.slice(0, -1))}>
                    Previous
                  </button>
                  <button type="button" disabled={!next} onClick={() => next && setKeys([...keys, next])}>
                    Next
                  </button>
                </div>
              )}
            </>
          )}
        </Loaded>
      </Section>
    </>
  )
}

interface Details {
  readonly info: { readonly admin: string; readonly metadata: Metadata | null } | undefined
  readonly metadata: Metadata | undefined
  readonly mapping: FunToken | undefined
}
interface Metadata {
  readonly name: string
  readonly symbol: string
  readonly display: string
  readonly description: string
  readonly denom_units: readonly { readonly denom: string; readonly exponent: number }[]
}
interface Owners {
  readonly denom_owners: readonly { readonly address: string; readonly balance: CoinAmount }[]
  readonly pagination: { readonly next_key: string | null }
}

/** The supply in base units, and in the unit that the metadata gives for people to read. */
function Supplied({
  base,
  denom,
  metadata,
}: {
  readonly base: bigint
  readonly denom: string
  readonly metadata: Metadata | undefined
}) {
  const unit = metadata?.denom_units.find(({ denom: name, exponent }) => name === metadata.display && exponent > 0)
  if (!unit) return <Coin amount={base} denom={denom} />
  return (
    <>
      <Units base={base} decimals={unit.exponent} unit={metadata!.symbol || unit.denom} />
      <br />
      <span class="num">{formatInteger(base)}</span> <span class="unit">base units</span>
    </>
  )
}

function One({ denom }: { readonly denom: string }) {
  const height = useHeight()
  const supplyQuestion = rest(`/sdk/bank/v1beta1/supply/by_denom?denom=${inPath(denom)}`)
  const owners = rest(`/sdk/bank/v1beta1/denom_owners/${inPath(denom)}?pagination.limit=50`)
  const supply = useAnswer<{ readonly amount: CoinAmount }>(supplyQuestion)
  const holders = useLoad([`${denom} owners`, height ?? ''], (signal) => ask<Owners>(owners, { height, signal }))
  const details = useLoad([denom, height ?? ''], async (signal): Promise<Details> => {
    const [info, described, mapped] = await Promise.all([
      originOf(denom) === 'token factory'
        ? askIfAny<Details['info']>(rest(`/chain/tokenfactory/v1/denom-info/${inPath(denom)}`), height, signal)
        : undefined,
      askIfAny<{ readonly metadata: Metadata }>(
        rest(`/sdk/bank/v1beta1/denoms_metadata/${inPath(denom)}`),
        height,
        signal,
      ),
      askIfAny<{ readonly fun_token: FunToken | null }>(funtokenOf(denom), height, signal),
    ])
    return { info: info ?? undefined, metadata: described?.metadata, mapping: mapped?.fun_token ?? undefined }
  })
  return (
    <Section title={<span class="mono">{denom}</span>} question={supplyQuestion}>
      <Facts>
        <Fact name="Supply">
          <Loaded of={supply} lines={1}>
            {({ amount }) => <Supplied base={BigInt(amount.amount)} denom={denom} metadata={details.value?.metadata} />}
          </Loaded>
        </Fact>
        <Loaded of={details} lines={4}>
          {({ info, metadata, mapping }) => (
            <>
              <Fact name="From">{originOf(denom)}</Fact>
              {info && (
                <Fact name="Admin">
                  {info.admin ? <Address address={info.admin} both /> : 'none: it can no longer be minted'}
                </Fact>
              )}
              <Fact name="Name">
                {metadata?.name ? `${metadata.name} (${metadata.symbol})` : <span class="muted">not described</span>}
              </Fact>
              {metadata && metadata.denom_units.length > 0 && (
                <Fact name="Units">
                  {metadata.denom_units.map(({ denom: unit, exponent }) => (
                    <div key={unit}>
                      {exponent === 0 ? (
                        `${unit}, the base unit`
                      ) : (
                        <>
                          1 {unit} = 10<sup>{exponent}</sup> base units
                        </>
                      )}
                    </div>
                  ))}
                </Fact>
              )}
              <Fact name="ERC-20">
                {mapping ? (
                  <>
                    <Address address={mapping.erc20_addr} />{' '}
                    {mapping.is_made_from_coin ? 'made from this coin' : 'the coin is made from it'}
                  </>
                ) : (
                  <span class="muted">none: no FunToken maps it</span>
                )}
              </Fact>
            </>
          )}
        </Loaded>
      </Facts>
      <h3 class="chain-h">Holders</h3>
      <Loaded of={holders} lines={4}>
        {({ denom_owners, pagination }) =>
          denom_owners.length === 0 ? (
            <Empty>No account holds it at this height.</Empty>
          ) : (
            <>
              <Table
                rows={denom_owners}
                keyOf={({ address }) => address}
                columns={[
                  { name: 'Account', cell: ({ address }) => <Address address={address} /> },
                  { name: 'Amount, base units', isRight: true, cell: ({ balance }) => formatInteger(balance.amount) },
                ]}
              />
              {pagination.next_key && <p class="muted">The first fifty holders, in the order of their addresses.</p>}
            </>
          )
        }
      </Loaded>
    </Section>
  )
}
