/** The last transactions that an account has sent. */
import { ask } from '../api/ask.ts'
import { type BlockTx, ethHashOf, type TxJson, type TxResult } from '../api/blocks.ts'
import { useHeight } from '../api/height.ts'
import { SELDOM_MS, useLoad, useMoment } from '../api/load.ts'
import { rest } from '../api/question.ts'
import { TxTable } from '../blocks/tx-table.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Section } from '../ui/section.tsx'
import type { AccountForms } from './forms.ts'

const SHOWN = 10

interface Found {
  readonly txs: readonly TxJson[]
  readonly tx_responses: readonly (TxResult & { readonly txhash: string; readonly raw_log: string })[]
}

export function AccountTxs({ forms: { bech32 } }: { readonly forms: AccountForms }) {
  const height = useHeight()
  const until = height === undefined ? '' : ` AND tx.height<=${height}`
  const query = encodeURIComponent(`message.sender='${bech32}'${until}`)
  const question = rest(`/sdk/tx/v1beta1/txs?query=${query}&order_by=ORDER_BY_DESC&limit=${SHOWN}`)
  const txs = useLoad([bech32, useMoment(SELDOM_MS)], async (signal) => {
    const { txs: decoded, tx_responses: results } = await ask<Found>(question, { signal })
    return results.map(
      (result, i): BlockTx => ({
        hash: result.txhash,
        ethHash: ethHashOf(decoded[i]?.body.messages ?? []),
        tx: decoded[i],
        result,
      }),
    )
  })
  return (
    <Section title="Last transactions sent" question={question}>
      <Loaded of={txs} lines={5} empty="This account has sent no transaction." isEmpty={(found) => found.length === 0}>
        {(found) => <TxTable txs={found} />}
      </Loaded>
    </Section>
  )
}
