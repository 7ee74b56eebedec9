/** Contracts that earn a share of fees, and what they earned. */
import { ask } from '../api/ask.ts'
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
import { readShares, type Share, sharesQuestion } from './shares.ts'

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

/** Contracts that the page shows, and payouts of each that it reads, the newest first. */
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
  question: Question,
  height: bigint | undefined,
  signal: AbortSignal,
): Promise<{ readonly list: readonly Earner[]; readonly isComplete: boolean }> {
  const operation = findOperation(templatesOf(await openApi()), ANY.kind === 'rest' ? ANY.path : '')
  const names = operation?.service.replace(/\.Query$/, '') ?? 'chain.devgas.v1'
  const until = height === undefined ? '' : ` AND tx.height <= ${height}`
  const shares = await readShares(question, signal)
  const list = await mapFew(shares.slice(0, MOST), async (share): Promise<Earner> => {
    const { contract } = share
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
  return { list, isComplete: shares.length <= MOST }
}

function readPayouts(text: string): readonly Payout[] {
  try {
    return JSON.parse(text) as readonly Payout[]
  } catch {
    return []
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
  const question = sharesQuestion(height)
  const found = useLoad(['devgas', round], (signal) => earners(question, height, signal))
  return (
    <Section title="Registered contracts" question={question}>
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
              keyOf={({ share }) => share.contract}
              columns={[
                { name: 'Contract', cell: ({ share }) => <Address address={hexOf(share.contract)} short /> },
                { name: 'Deployer', cell: ({ share }) => <Address address={share.deployer} short /> },
                {
                  name: 'Paid to',
                  cell: ({ share }) => <Address address={share.withdrawer || share.deployer} short />,
                },
                { name: 'Payouts', isRight: true, cell: ({ payouts }) => formatInteger(payouts) },
                { name: 'Earned', isRight: true, cell: (earner) => <Earned of={earner} /> },
              ]}
            />
            {!isComplete && <p class="muted">The first {MOST} contracts are shown, in the order of their addresses.</p>}
          </>
        )}
      </Loaded>
    </Section>
  )
}
