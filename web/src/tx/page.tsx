/** One transaction: what it did, what it cost and who was paid, and how it ran. */
import { useEffect } from 'preact/hooks'
import { actionsOf, attributeOf, senderOf } from '../api/blocks.ts'
import { useHead } from '../api/head.ts'
import { useLoad } from '../api/load.ts'
import { eth, rest } from '../api/question.ts'
import { hasFailed, Outcome } from '../blocks/tx-table.tsx'
import { formatInteger } from '../format/amount.ts'
import { navigate, type PageProps } from '../router.tsx'
import { Empty, Loaded } from '../ui/loaded.tsx'
import { Fact, Facts, PageTitle, Section } from '../ui/section.tsx'
import { Address, ExactTime, Hash, Height } from '../ui/values.tsx'
import { EthCall, Logs, RevertReason } from './call.tsx'
import { EventList } from './events.tsx'
import { Fees } from './fees.tsx'
import { type FoundTx, findTx, heightOfBlock } from './find.ts'
import { Messages } from './messages.tsx'
import { StateChanges } from './state-difference.tsx'
import { Trace } from './trace.tsx'

export default function TxPage({ params: { hash = '' } }: PageProps) {
  const head = useHead()
  const found = useLoad([hash], (signal) => findTx(hash, signal))
  // A transaction that waits is looked for again with the next block.
  const isWaiting = found.error !== undefined || (found.value !== undefined && found.value.height === undefined)
  const again = useLoad([hash, isWaiting ? head?.height : ''], (signal) =>
    isWaiting ? findTx(hash, signal) : Promise.resolve(undefined),
  )
  const shown = again.value ? again : found
  useEffect(() => {
    if (!found.error) return
    heightOfBlock(hash).then(
      (height) => height !== undefined && navigate(`/block/${height}`, { replace: true }),
      () => {},
    )
  }, [found.error])
  return (
    <>
      <PageTitle title="Transaction">
        <Hash text={hash} label="hash" />
      </PageTitle>
      <Loaded of={shown as typeof found} lines={12}>
        {(tx) => <Found tx={tx} />}
      </Loaded>
    </>
  )
}

function Found({ tx }: { readonly tx: FoundTx }) {
  const { one, eth: ethTx, receipt } = tx
  const failed = receipt ? receipt.status === '0x0' : one ? hasFailed(one) : false
  const messages = one?.tx?.body.messages ?? []
  const hash = ethTx?.hash ?? one?.hash ?? ''
  const events = one?.result?.events ?? []
  const question = rest(`/sdk/tx/v1beta1/txs/${one?.hash ?? hash}`)
  const sender = ethTx?.from ?? senderOf(messages[0])
  return (
    <>
      <Section title="Summary" question={ethTx ? eth('eth_getTransactionReceipt', hash) : question}>
        <Facts>
          <Fact name="Outcome">
            {tx.height === undefined ? (
              <span class="tag tag-warn">waits for a block</span>
            ) : (
              <Outcome failed={failed} />
            )}
            {failed && <RevertReason tx={tx} />}
          </Fact>
          {tx.height !== undefined && (
            <Fact name="Block">
              <Height height={tx.height} /> <span class="muted">transaction {tx.index! + 1}</span>
            </Fact>
          )}
          {tx.time && (
            <Fact name="Time">
              <ExactTime time={tx.time} />
            </Fact>
          )}
          {sender && (
            <Fact name="From">
              <Address address={sender} both />
            </Fact>
          )}
          {ethTx && (
            <Fact name={ethTx.to ? 'To' : 'New contract'}>
              {ethTx.to || receipt?.contractAddress ? (
                <Address address={(ethTx.to ?? receipt?.contractAddress)!} both />
              ) : (
                '…'
              )}
            </Fact>
          )}
          {ethTx && one && (
            <Fact name="Hash of the engine">
              <Hash text={one.hash} />
            </Fact>
          )}
          <Fact name="Does">{actionsOf(messages) || '…'}</Fact>
          {one?.tx?.body.memo && <Fact name="Memo">{one.tx.body.memo}</Fact>}
          {one?.result && (
            <Fact name="Gas">
              <span class="num">
                {formatInteger(one.result.gas_used)} used of {formatInteger(one.result.gas_wanted)}
              </span>
            </Fact>
          )}
          {ethTx && (
            <Fact name="Nonce">
              <span class="num">{formatInteger(BigInt(ethTx.nonce))}</span>
            </Fact>
          )}
        </Facts>
      </Section>
      {one?.result && <Fees tx={tx} question={question} payer={attributeOf(events, /^tx$/, 'fee_payer')} />}
      {ethTx ? <EthCall tx={ethTx} /> : <Messages messages={messages} question={question} />}
      {receipt && <Logs logs={receipt.logs} question={eth('eth_getTransactionReceipt', hash)} />}
      {ethTx && tx.height !== undefined && (
        <>
          <Trace hash={ethTx.hash} />
          <StateChanges hash={ethTx.hash} />
        </>
      )}
      <Section title="Events" question={question}>
        {events.length > 0 ? <EventList events={events} /> : <Empty>This transaction has no events.</Empty>}
      </Section>
    </>
  )
}
