/** The last transfers of tokens from and to an account, by the logs of their contracts. */
import { ask } from '../api/ask.ts'
import { useHeight } from '../api/height.ts'
import { SELDOM_MS, useLoad, useMoment } from '../api/load.ts'
import { formatInteger } from '../format/amount.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Section } from '../ui/section.tsx'
import { Table } from '../ui/table.tsx'
import { Address, Hash, Height, Units } from '../ui/values.tsx'
import type { AccountForms } from './forms.ts'
import { type Token, type TransferLog, tokenOf, transfersOf } from './tokens.ts'

const SHOWN = 10

interface Transfer {
  readonly log: TransferLog
  readonly token: Token | undefined
}

const placeOf = ({ blockNumber, logIndex }: TransferLog): string => `${blockNumber} ${logIndex}`

async function readTransfers(
  hex: string,
  height: bigint | undefined,
  signal: AbortSignal,
): Promise<readonly Transfer[]> {
  const sides = (['from', 'to'] as const).map((side) =>
    ask<readonly TransferLog[]>(transfersOf(hex, side, height), { signal }),
  )
  // A transfer to oneself is on both sides.
  const distinct = new Map((await Promise.all(sides)).flat().map((log) => [placeOf(log), log]))
  const newest = [...distinct.values()]
    .sort((a, b) => Number(b.blockNumber) - Number(a.blockNumber) || Number(b.logIndex) - Number(a.logIndex))
    .slice(0, SHOWN)
  const contracts = [...new Set(newest.map(({ address }) => address))]
  const tokens = new Map(
    await Promise.all(contracts.map(async (one) => [one, await tokenOf(one, height, signal)] as const)),
  )
  return newest.map((log) => ({ log, token: tokens.get(log.address) }))
}

const addressIn = (topic: string | undefined): string => `0x${(topic ?? '').slice(-40)}`

function Amount({ of: { log, token } }: { readonly of: Transfer }) {
  const [, , , id] = log.topics
  const contract = <Address address={log.address} short />
  if (id !== undefined) {
    return (
      <>
        token {formatInteger(BigInt(id))} of {contract}
      </>
    )
  }
  const amount = BigInt(log.data === '0x' ? 0 : log.data)
  return (
    <>
      {token ? <Units base={amount} decimals={token.decimals} unit={token.symbol} /> : formatInteger(amount)}
      <div class="muted">{contract}</div>
    </>
  )
}

export function TokenTransfers({ forms: { hex } }: { readonly forms: AccountForms }) {
  const height = useHeight()
  const found = useLoad([hex, height ?? 'latest', useMoment(SELDOM_MS)], (signal) => readTransfers(hex, height, signal))
  const own = hex.toLowerCase()
  return (
    <Section title="Last transfers of tokens" question={transfersOf(hex, 'to', height)}>
      <Loaded
        of={found}
        lines={5}
        empty="No token has reported a transfer from or to this account."
        isEmpty={(transfers) => transfers.length === 0}
      >
        {(transfers) => (
          <Table
            rows={transfers}
            keyOf={({ log }) => placeOf(log)}
            columns={[
              {
                name: 'Hash',
                cell: ({ log: { transactionHash: hash } }) => (
                  <Hash text={hash} to={`/tx/${hash}`} label="hash of the transaction" short />
                ),
              },
              { name: 'Block', cell: ({ log }) => <Height height={BigInt(log.blockNumber)} /> },
              {
                name: 'From',
                cell: ({ log }) => <Party address={addressIn(log.topics[1])} own={own} />,
              },
              {
                name: 'To',
                cell: ({ log }) => <Party address={addressIn(log.topics[2])} own={own} />,
              },
              { name: 'Amount', isRight: true, cell: (transfer) => <Amount of={transfer} /> },
            ]}
          />
        )}
      </Loaded>
    </Section>
  )
}

/** The address that tokens come from when they are made, and go to when they are burnt. */
const NOBODY = `0x${'0'.repeat(40)}`

function Party({ address, own }: { readonly address: string; readonly own: string }) {
  if (address === own) return <span class="muted">this account</span>
  if (address === NOBODY) return <span class="muted">nobody</span>
  return <Address address={address} short />
}
