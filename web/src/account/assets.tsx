/** Coins of the bank and ERC-20s side by side: a FunToken is both, and shows both balances in one row. */
import { ask } from '../api/ask.ts'
import { useHeight } from '../api/height.ts'
import { SELDOM_MS, useLoad, useMoment } from '../api/load.ts'
import { useNode } from '../api/node.ts'
import { rest } from '../api/question.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Section } from '../ui/section.tsx'
import { Table } from '../ui/table.tsx'
import { Address, Coin, Units } from '../ui/values.tsx'
import type { AccountForms } from './forms.ts'
import { type TransferLog, transfersOf } from './tokens.ts'

interface Half {
  readonly symbol: string
  readonly decimals: number
  readonly balance_base: string
}

interface Balances {
  readonly bank: (Half & { readonly coin_denom: string }) | null
  readonly erc20: (Half & { readonly address: string; readonly name: string }) | null
}

interface Asset {
  readonly denom: string | undefined
  readonly amount: string | undefined
  readonly contract: string | undefined
  readonly balances: Balances | undefined
}

/** Contracts that are asked for a balance. */
const MAX_CONTRACTS = 50

/** Returns the contracts that have reported a transfer to an account up to a height. */
async function receivedTokens(
  hex: string,
  height: bigint | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const logs = await ask<readonly TransferLog[]>(transfersOf(hex, 'to', height), { signal })
  // Those of ERC-721 have four topics.
  return [...new Set(logs.filter((log) => log.topics.length === 3).map(({ address }) => address.toLowerCase()))]
}

async function readAssets(forms: AccountForms, height: bigint | undefined, signal: AbortSignal) {
  const at = { height, signal }
  const coins: { denom: string; amount: string }[] = []
  let key: string | null = null
  do {
    const next: string = key ? `?pagination.key=${encodeURIComponent(key)}` : ''
    const page: { balances: { denom: string; amount: string }[]; pagination: { next_key: string | null } } = await ask(
      rest(`/sdk/bank/v1beta1/balances/${forms.bech32}${next}`),
      at,
    )
    coins.push(...page.balances)
    key = page.pagination.next_key
  } while (key)
  let problem: string | undefined
  const received = await receivedTokens(forms.hex, height, signal).catch((error: unknown) => {
    problem = error instanceof Error ? error.message : String(error)
    return [] as readonly string[]
  })
  const balancesOf = (token: string): Promise<Balances | undefined> =>
    ask<Balances>(rest(`/chain/evm/v1/balances/${forms.hex}?token=${encodeURIComponent(token)}`), at).catch(
      () => undefined,
    )
  const assets: Asset[] = await Promise.all(
    coins.map(async ({ denom, amount }) => {
      const balances = await balancesOf(denom)
      return { denom, amount, contract: balances?.erc20?.address, balances }
    }),
  )
  const joined = new Set(assets.map(({ contract }) => contract?.toLowerCase()))
  const others = received.filter((address) => !joined.has(address))
  const tokens = await Promise.all(
    others.slice(0, MAX_CONTRACTS).map(async (contract) => ({ contract, balances: await balancesOf(contract) })),
  )
  for (const { contract, balances } of tokens) {
    if (!balances?.erc20) continue
    const { bank } = balances
    assets.push({ denom: bank?.coin_denom, amount: bank?.balance_base, contract, balances })
  }
  return { assets, problem, left: Math.max(0, others.length - MAX_CONTRACTS) }
}

const keyOf = ({ denom, contract }: Asset): string => denom ?? contract ?? ''

function Name({ of: { denom, balances } }: { readonly of: Asset }) {
  const node = useNode()
  const erc20 = balances?.erc20
  return (
    <>
      {denom !== undefined && denom === node?.base_denom ? node.display_denom : (erc20?.name ?? denom)}
      {erc20 && (
        <div class="muted">
          <Address address={erc20.address} short />
        </div>
      )}
    </>
  )
}

function InBank({ of: { denom, amount, balances } }: { readonly of: Asset }) {
  const node = useNode()
  if (denom === undefined || amount === undefined) return <span class="muted">no coin</span>
  const bank = balances?.bank
  if (!bank || denom === node?.base_denom) return <Coin amount={amount} denom={denom} />
  return <Units base={BigInt(amount)} decimals={bank.decimals} unit={bank.symbol} />
}

function InEvm({ of: { balances } }: { readonly of: Asset }) {
  const erc20 = balances?.erc20
  if (!erc20) return <span class="muted">no ERC-20</span>
  return <Units base={BigInt(erc20.balance_base)} decimals={erc20.decimals} unit={erc20.symbol} />
}

const Joint = ({ of: { denom, contract, balances } }: { readonly of: Asset }) =>
  denom !== undefined && contract !== undefined && balances?.erc20 ? (
    <span class="tag">FunToken</span>
  ) : (
    <span class="muted">–</span>
  )

export function Assets({ forms }: { readonly forms: AccountForms }) {
  const height = useHeight()
  // The search for tokens reads logs.
  const found = useLoad([forms.hex, height ?? 'latest', useMoment(SELDOM_MS)], (signal) =>
    readAssets(forms, height, signal),
  )
  return (
    <Section title="Coins and tokens" question={rest(`/sdk/bank/v1beta1/balances/${forms.bech32}`)}>
      <Loaded
        of={found}
        lines={4}
        empty="This account holds no coins and no tokens."
        isEmpty={({ assets }) => assets.length === 0}
      >
        {({ assets, problem, left }) => (
          <>
            <Table
              rows={assets}
              keyOf={keyOf}
              label="Table of coins and tokens"
              columns={[
                { name: 'Asset', cell: (asset) => <Name of={asset} /> },
                { name: 'In the bank', isRight: true, cell: (asset) => <InBank of={asset} /> },
                { name: 'In the EVM', isRight: true, cell: (asset) => <InEvm of={asset} /> },
                { name: 'Joined by', cell: (asset) => <Joint of={asset} /> },
              ]}
            />
            {problem && <p class="muted">ERC-20s were not searched: {problem}</p>}
            {left > 0 && <p class="muted">{left} further contracts have sent tokens here and are not listed.</p>}
          </>
        )}
      </Loaded>
    </Section>
  )
}
