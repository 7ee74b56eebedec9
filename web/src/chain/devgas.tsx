/** Contracts that earn a share of fees, and what they earned. */
import { ApiError, ask } from '../api/ask.ts'
import { useHeight } from '../api/height.ts'
import { useLoad, useRound } from '../api/load.ts'
import { engine, type Question, rest } from '../api/question.ts'
import { openApi } from '../ask/document.ts'
import { findOperation, templatesOf } from '../ask/operations.ts'
import { readAddress, toEip55 } from '../format/address.ts'
import { formatInteger } from '../format/amount.ts'
import { mapFew } from '../time/few.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Section } from '../ui/section.tsx'
import { Table } from '../ui/table.tsx'
import { Address, Coin } from '../ui/values.tsx'

interface Share {
  readonly contract_address: string
  readonly deployer_address: string
  readonly withdrawer_address: string
}
interface Found {
  readonly txs: readonly { readonly tx_result: { readonly events: readonly Event[] } }[]
  readonly total_count: string
}
interface Event {
  readonly type: string
  readonly attributes: readonly { readonly key: string; readonly value: string }[]
}
interface Payout {
  readonly fees_paid: readonly { readonly denom: string; readonly amount: string }[]
}

/** Registrations and payouts that the page reads, the newest first. */
const MOST = 100

const ANY = rest('/chain/devgas/v1/params')

const search = (query: string) => engine('tx_search', { query, per_page: String(MOST), order_by: 'desc' })

/** Event attributes are JSON; those of older blocks can be plain text. */
function attributeOf(event: Event, key: string): string {
  const text = event.attributes.find((attribute) => attribute.key === key)?.value ?? ''
  try {
    return String(JSON.parse(text))
  } catch {
    return text
  }
}

interface Earner {
  readonly share: Share
  readonly earned: ReadonlyMap<string, bigint>
  readonly payouts: bigint
  /** Whether every payout was read. */
  readonly isComplete: boolean
}

async function earners(
  height: bigint | undefined,
  signal: AbortSignal,
): Promise<{ readonly list: readonly Earner[]; readonly isComplete: boolean; readonly question: Question }> {
  const operation = findOperation(templatesOf(await openApi()), ANY.kind === 'rest' ? ANY.path : '')
  const names = operation?.service.replace(/\.Query$/, '') ?? 'chain.devgas.v1'
  const until = height === undefined ? '' : ` AND tx.height <= ${height}`
  const question = search(`${names}.EventRegisterDevGas.contract EXISTS${until}`)
  const registered = await ask<Found>(question, { signal })
  const events = registered.txs.flatMap(({ tx_result }) =>
    tx_result.events.filter(({ type }) => type.endsWith('.EventRegisterDevGas')),
  )
  const contracts = [...new Set(events.map((event) => attributeOf(event, 'contract')))]
  const list = await mapFew(contracts, async (contract): Promise<Earner | undefined> => {
    const share = await shareOf(contract, height, signal)
    if (!share) return undefined
    const paid = await ask<Found>(search(`${names}.EventPayoutDevGas.contract = '"${contract}"'${until}`), { signal })
    const earned = new Map<string, bigint>()
    for (const event of paid.txs.flatMap(({ tx_result }) => tx_result.events)) {
      if (!event.type.endsWith('.EventPayoutDevGas') || attributeOf(event, 'contract') !== contract) continue
      for (const { fees_paid } of readPayouts(attributeOf(event, 'payouts'))) {
        for (const { denom, amount } of fees_paid) earned.set(denom, (earned.get(denom) ?? 0n) + BigInt(amount))
      }
    }
    const payouts = BigInt(paid.total_count)
    return { share, earned, payouts, isComplete: payouts <= BigInt(paid.txs.length) }
  })
  return {
    list: list.filter((one) => one !== undefined),
    isComplete: Number(registered.total_count) <= registered.txs.length,
    question,
  }
}

function readPayouts(text: string): readonly Payout[] {
  try {
    return JSON.parse(text) as readonly Payout[]
  } catch {
    return []
  }
}

async function shareOf(contract: string, height: bigint | undefined, signal: AbortSignal): Promise<Share | undefined> {
  try {
    const { feeshare } = await ask<{ readonly feeshare: Share }>(
      rest(`/chain/devgas/v1/fee_shares/${contract}?by=contract`),
      { height, signal },
    )
    return feeshare
  } catch (error) {
    if (error instanceof ApiError && error.isAbsent) return undefined
    throw error
  }
}

/** Returns an address as contracts are known by: `0x…`. */
function hexOf(address: string): string {
  const bytes = readAddress(address)
  return bytes ? toEip55(bytes) : address
}

const Earned = ({ of: { earned, isComplete } }: { readonly of: Earner }) => (
  <>
    {earned.size === 0 && <span class="muted">nothing yet</span>}
    {[...earned].map(([denom, amount]) => (
      <div key={denom}>
        <Coin amount={amount} denom={denom} />
      </div>
    ))}
    {!isComplete && <span class="muted">in the last {MOST} payouts</span>}
  </>
)

/** The searches are repeated with every tenth block. */
const BLOCKS = 10n

export function DevgasPage() {
  const height = useHeight()
  const round = useRound(BLOCKS)
  const found = useLoad(['devgas', round], (signal) => earners(height, signal))
  return (
    <Section title="Registered contracts" question={found.value?.question}>
      <Loaded
        of={found}
        lines={5}
        empty="No contract is registered at this height."
        isEmpty={({ list }) => list.length === 0}
      >
        {({ list, isComplete }) => (
          <>
            <Table
              rows={list}
              keyOf={({ share }) => share.contract_address}
              columns={[
                { name: 'Contract', cell: ({ share }) => <Address address={hexOf(share.contract_address)} short /> },
                { name: 'Deployer', cell: ({ share }) => <Address address={share.deployer_address} short /> },
                {
                  name: 'Paid to',
                  cell: ({ share }) => <Address address={share.withdrawer_address || share.deployer_address} short />,
                },
                { name: 'Payouts', isRight: true, cell: ({ payouts }) => formatInteger(payouts) },
                { name: 'Earned', isRight: true, cell: (earner) => <Earned of={earner} /> },
              ]}
            />
            {!isComplete && <p class="muted">The newest {MOST} registrations are shown.</p>}
          </>
        )}
      </Loaded>
    </Section>
  )
}
