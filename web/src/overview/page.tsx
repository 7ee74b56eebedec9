/** The first page: the tip of the chain, its newest blocks and transactions. */
import { useState } from 'preact/hooks'
import type { BlockTx } from '../api/blocks.ts'
import { type Head, useHead } from '../api/head.ts'
import { useLoad } from '../api/load.ts'
import { type NodeFacts, useNode } from '../api/node.ts'
import { engine } from '../api/question.ts'
import { arrivals, metaOf, wantBlocks, wholeBlock } from '../blocks/block-cache.ts'
import { TxTable } from '../blocks/tx-table.tsx'
import { formatCount, formatInteger } from '../format/amount.ts'
import { useStore } from '../store.ts'
import { Empty, Skeleton } from '../ui/loaded.tsx'
import { Section } from '../ui/section.tsx'
import { ChainTime, Height, Link, Time } from '../ui/values.tsx'

const SHOWN_BLOCKS = 8n
const SEARCHED_BLOCKS = 20n
const SHOWN_TXS = 8

/** Numbers at the head of the page. Each keeps its place while it loads. */
function Figures({ node, tip }: { readonly node: NodeFacts | undefined; readonly tip: Head | undefined }) {
  const interval = tip && meanInterval(tip.height)
  return (
    <dl class="figures">
      <div>
        <dt>Height</dt>
        <dd class="num">{tip ? <Height height={tip.height} /> : '…'}</dd>
      </div>
      <div>
        <dt>Latest block</dt>
        <dd>{tip ? <Time time={tip.time} /> : '…'}</dd>
      </div>
      <div>
        <dt>Seconds per block, last {SEARCHED_BLOCKS.toString()}</dt>
        <dd class="num">{tip && tip.height === tip.earliest ? 'none yet' : (interval ?? '…')}</dd>
      </div>
      <div>
        <dt>Chain</dt>
        <dd>{node?.chain_id ?? '…'}</dd>
      </div>
      <div>
        <dt>EVM chain id</dt>
        <dd class="num">{node?.evm_chain_id ?? '…'}</dd>
      </div>
    </dl>
  )
}

/** Returns the mean time between the last blocks as text, cut to milliseconds. */
function meanInterval(height: bigint): string | undefined {
  const low = height > SEARCHED_BLOCKS ? height - SEARCHED_BLOCKS + 1n : 1n
  const [first, last] = [metaOf(low), metaOf(height)]
  if (!first || !last || height === low) return undefined
  const ms = (Date.parse(last.header.time) - Date.parse(first.header.time)) / Number(height - low)
  return (Math.floor(ms) / 1000).toFixed(3)
}

export default function OverviewPage() {
  const tip = useHead()
  const node = useNode()
  const count = useStore(arrivals)
  const height = tip?.height ?? 0n
  if (tip) wantBlocks(height > SEARCHED_BLOCKS ? height - SEARCHED_BLOCKS + 1n : 1n, height)
  const heights = Array.from(
    { length: Number(height < SHOWN_BLOCKS ? height : SHOWN_BLOCKS) },
    (_, i) => height - BigInt(i),
  )
  return (
    <>
      <h1 class="visually-hidden">Overview</h1>
      <Figures node={node} tip={tip} />
      <div class="cards">
        <Section
          title={<Link to="/blocks">Blocks</Link>}
          question={engine('blockchain', { minHeight: '1', maxHeight: height.toString() })}
        >
          {tip ? (
            <ol class="rows fixed-rows">
              {heights.map((one) => {
                const meta = metaOf(one)
                return (
                  <li key={String(one)}>
                    <Height height={one} />
                    <span class="muted">{meta && formatCount(meta.num_txs, 'transaction')}</span>
                    <span class="muted right">{meta && <Time time={meta.header.time} />}</span>
                  </li>
                )
              })}
            </ol>
          ) : (
            <Skeleton lines={8} />
          )}
        </Section>
        <Section title="This node" question={engine('status')}>
          {node && tip ? (
            <dl class="facts">
              <div class="fact">
                <dt>Time of the chain</dt>
                <dd>
                  <ChainTime time={tip.time} />
                </dd>
              </div>
              <div class="fact">
                <dt>Heights kept</dt>
                <dd class="num">
                  {formatInteger(tip.earliest)} to {formatInteger(tip.height)}
                </dd>
              </div>
              <div class="fact">
                <dt>Native coin</dt>
                <dd>
                  1 {node.display_denom} = 10<sup>6</sup> {node.base_denom} = 10<sup>18</sup> wei
                </dd>
              </div>
              <div class="fact">
                <dt>Profile</dt>
                <dd>{node.profile}</dd>
              </div>
              <div class="fact">
                <dt>Kind</dt>
                <dd>{node.development ? 'a development chain: its state can be changed' : 'a chain'}</dd>
              </div>
            </dl>
          ) : (
            <Skeleton lines={5} />
          )}
        </Section>
      </div>
      <LatestTxs height={height} arrivals={count} />
    </>
  )
}

/** Whether a transaction only votes on prices, as validators do in every voting period. */
const isPriceVote = ({ tx }: BlockTx): boolean => {
  const messages = tx?.body.messages ?? []
  return (
    messages.length > 0 && messages.every(({ '@type': type }) => /\.MsgAggregateExchangeRate(Vote|Prevote)$/.test(type))
  )
}

/** Transactions of the last blocks, the newest first. */
function LatestTxs({ height, arrivals: _ }: { readonly height: bigint; readonly arrivals: number }) {
  const [withVotes, setWithVotes] = useState(false)
  const low = height > SEARCHED_BLOCKS ? height - SEARCHED_BLOCKS + 1n : 1n
  const filled: bigint[] = []
  for (let one = height; one >= low; one--) {
    if (Number(metaOf(one)?.num_txs ?? 0) > 0) filled.push(one)
  }
  const loaded = useLoad(['latest', filled.join()], async () => {
    const blocks = await Promise.all(filled.map(wholeBlock))
    return blocks.flatMap((block) => [...block.txs].reverse())
  })
  const txs = loaded.value?.filter((tx) => withVotes || !isPriceVote(tx)).slice(0, SHOWN_TXS)
  return (
    <Section
      title="Transactions"
      question={engine('block_results', { height: (filled[0] ?? height).toString() })}
      actions={
        <label>
          <input
            type="checkbox"
            checked={withVotes}
            onChange={({ currentTarget }) => setWithVotes(currentTarget.checked)}
          />{' '}
          Votes on prices
        </label>
      }
    >
      <div class="latest-txs">
        {txs && txs.length > 0 ? (
          <TxTable txs={txs} hasBlocks />
        ) : txs && metaOf(height) ? (
          <Empty>
            {low === 1n ? 'The blocks so far' : `The last ${SEARCHED_BLOCKS} blocks`} have no transactions
            {loaded.value!.length > 0 && ' but votes on prices'}.
          </Empty>
        ) : (
          <Skeleton lines={8} />
        )}
      </div>
    </Section>
  )
}
