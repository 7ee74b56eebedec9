/** Transactions as rows of a table. */
import { useState } from 'preact/hooks'
import { attributeOf, type BlockTx, senderOf, shortType } from '../api/blocks.ts'
import { formatInteger } from '../format/amount.ts'
import { Address, Hash } from '../ui/values.tsx'

/** Whether a transaction has failed: by its code, or by the error of its EVM call. */
export const hasFailed = ({ result }: Pick<BlockTx, 'result'>): boolean =>
  result !== undefined &&
  (result.code !== 0 || (attributeOf(result.events, /EventEthereumTx$/, 'vm_error') ?? '') !== '')

export function Outcome({ failed }: { readonly failed: boolean }) {
  return <span class={failed ? 'tag tag-bad' : 'tag tag-good'}>{failed ? 'failed' : 'succeeded'}</span>
}

/** Rows that are shown at first, and added on demand. */
const PAGE_ROWS = 100

export function TxTable({ txs: all }: { readonly txs: readonly BlockTx[] }) {
  const [shown, setShown] = useState(PAGE_ROWS)
  const txs = all.slice(0, shown)
  return (
    <>
      <div class="table-box">
        <table>
          <thead>
            <tr>
              <th scope="col">Hash</th>
              <th scope="col">Does</th>
              <th scope="col">From</th>
              <th scope="col">Outcome</th>
              <th scope="col" class="right">
                Gas used
              </th>
            </tr>
          </thead>
          <tbody>
            {txs.map((one) => {
              const { hash, ethHash, tx, result } = one
              const messages = tx?.body.messages ?? []
              const from = result && attributeOf(result.events, /^tx$/, 'fee_payer_evm')
              const sender =
                from ?? senderOf(messages[0]) ?? (result && attributeOf(result.events, /^tx$/, 'fee_payer'))
              return (
                <tr key={hash}>
                  <td>
                    <Hash text={ethHash ?? hash} to={`/tx/${ethHash ?? hash}`} label="hash of the transaction" short />
                  </td>
                  <td>
                    {messages.length === 0
                      ? 'a transaction that cannot be decoded'
                      : [...new Set(messages.map((message) => shortType(message['@type'])))].join(', ')}
                  </td>
                  <td>{sender && <Address address={sender} short />}</td>
                  <td>
                    <Outcome failed={hasFailed(one)} />
                  </td>
                  <td class="right">{result && formatInteger(result.gas_used)}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      {all.length > shown && (
        <button type="button" onClick={() => setShown(shown + PAGE_ROWS)}>
          Show {PAGE_ROWS} more of {formatInteger(all.length)}
        </button>
      )}
    </>
  )
}
