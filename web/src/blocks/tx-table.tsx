/** Transactions as rows of a table. */
import { useState } from 'preact/hooks'
import { actionsOf, attributeOf, type BlockTx, senderOf } from '../api/blocks.ts'
import { formatInteger } from '../format/amount.ts'
import { type Column, Table } from '../ui/table.tsx'
import { Address, Hash, Height } from '../ui/values.tsx'

/** Whether a transaction has failed: by its code, or by the error of its EVM call. */
export const hasFailed = ({ result }: Pick<BlockTx, 'result'>): boolean =>
  result !== undefined &&
  (result.code !== 0 || (attributeOf(result.events, /EventEthereumTx$/, 'vm_error') ?? '') !== '')

export function Outcome({ failed }: { readonly failed: boolean }) {
  return <span class={failed ? 'tag tag-bad' : 'tag tag-good'}>{failed ? 'failed' : 'succeeded'}</span>
}

/** Rows that are shown at first, and added on demand. */
const PAGE_ROWS = 100

function Sender({ one: { tx, result } }: { readonly one: BlockTx }) {
  const from = result && attributeOf(result.events, /^tx$/, 'fee_payer_evm')
  const sender = from ?? senderOf(tx?.body.messages[0]) ?? (result && attributeOf(result.events, /^tx$/, 'fee_payer'))
  return sender ? <Address address={sender} short /> : null
}

function describe({ tx }: BlockTx): string {
  const messages = tx?.body.messages ?? []
  if (messages.length === 0) return 'a transaction that cannot be decoded'
  return actionsOf(messages)
}

const COLUMNS: readonly Column<BlockTx>[] = [
  {
    name: 'Hash',
    cell: ({ hash, ethHash }) => (
      <Hash text={ethHash ?? hash} to={`/tx/${ethHash ?? hash}`} label="hash of the transaction" short />
    ),
  },
  { name: 'Does', cell: describe },
  { name: 'From', cell: (one) => <Sender one={one} /> },
  { name: 'Outcome', cell: (one) => <Outcome failed={hasFailed(one)} /> },
  { name: 'Gas used', isRight: true, cell: ({ result }) => result && formatInteger(result.gas_used) },
]

const BLOCK: Column<BlockTx> = { name: 'Block', cell: ({ height }) => <Height height={height} /> }

/** Shows transactions; with `hasBlocks` those of several blocks. */
export function TxTable({
  txs: all,
  hasBlocks = false,
}: {
  readonly txs: readonly BlockTx[]
  readonly hasBlocks?: boolean
}) {
  const [shown, setShown] = useState(PAGE_ROWS)
  const txs = all.slice(0, shown)
  return (
    <>
      <Table
        rows={txs}
        columns={hasBlocks ? [COLUMNS[0]!, BLOCK, ...COLUMNS.slice(1)] : COLUMNS}
        keyOf={({ hash }) => hash}
      />
      {all.length > shown && (
        <button type="button" onClick={() => setShown(shown + PAGE_ROWS)}>
          Show {PAGE_ROWS} more of {formatInteger(all.length)}
        </button>
      )}
    </>
  )
}
