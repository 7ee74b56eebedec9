/** The last transactions that an account has sent, and those that it has received. */
import { ask } from '../api/ask.ts'
import { type BlockTx, ethHashOf, type TxJson, type TxResult } from '../api/blocks.ts'
import { useHeight } from '../api/height.ts'
import { SELDOM_MS, useLoad, useMoment } from '../api/load.ts'
import { type Question, rest } from '../api/question.ts'
import { openApi } from '../ask/document.ts'
import { findOperation, templatesOf } from '../ask/operations.ts'
import { TxTable } from '../blocks/tx-table.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Section } from '../ui/section.tsx'
import type { AccountForms } from './forms.ts'

const SHOWN = 10

interface Found {
  readonly txs: readonly TxJson[]
  readonly tx_responses: readonly (TxResult & { readonly txhash: string; readonly height: string })[]
}

/** Returns the question for the last transactions with an event, up to a height. */
function search(event: string, height: bigint | undefined): Question {
  const until = height === undefined ? '' : ` AND tx.height<=${height}`
  const query = encodeURIComponent(event + until)
  return rest(`/sdk/tx/v1beta1/txs?query=${query}&order_by=ORDER_BY_DESC&limit=${SHOWN}`)
}

async function read(question: Question, signal: AbortSignal): Promise<readonly BlockTx[]> {
  const { txs: decoded, tx_responses: results } = await ask<Found>(question, { signal })
  return results.map((result, i) => ({
    height: result.height,
    hash: result.txhash,
    ethHash: ethHashOf(decoded[i]?.body.messages ?? []),
    tx: decoded[i],
    result,
  }))
}

export function AccountTxs({ forms: { bech32 } }: { readonly forms: AccountForms }) {
  const question = search(`message.sender='${bech32}'`, useHeight())
  const txs = useLoad([bech32, useMoment(SELDOM_MS)], (signal) => read(question, signal))
  return (
    <Section title="Last transactions sent" question={question}>
      <Loaded of={txs} lines={5} empty="This account has sent no transaction." isEmpty={(found) => found.length === 0}>
        {(found) => <TxTable txs={found} hasBlocks />}
      </Loaded>
    </Section>
  )
}

/** Returns the event of a call or a transfer of Ethereum, in the names of the node's profile. */
async function callEvent(): Promise<string> {
  const operation = findOperation(templatesOf(await openApi()), '/chain/evm/v1/params')
  return `${operation?.service.replace(/\.Query$/, '') ?? 'chain.evm.v1'}.EventEthereumTx`
}

/** Transactions of Ethereum to the account, and transfers of coins to it by messages. */
export function ReceivedTxs({ forms: { bech32, hex } }: { readonly forms: AccountForms }) {
  const height = useHeight()
  const coins = search(`transfer.recipient='${bech32}'`, height)
  const txs = useLoad([bech32, useMoment(SELDOM_MS)], async (signal) => {
    const calls = search(`${await callEvent()}.recipient='"${hex}"'`, height)
    const found = (await Promise.all([calls, coins].map((question) => read(question, signal)))).flat()
    const distinct = new Map(found.map((tx) => [tx.hash, tx]))
    return [...distinct.values()].sort((a, b) => Number(BigInt(b.height) - BigInt(a.height))).slice(0, SHOWN)
  })
  return (
    <Section title="Last transactions received" question={coins}>
      <Loaded
        of={txs}
        lines={5}
        empty="No transaction has called this account or sent it coins."
        isEmpty={(found) => found.length === 0}
      >
        {(found) => <TxTable txs={found} hasBlocks />}
      </Loaded>
    </Section>
  )
}
