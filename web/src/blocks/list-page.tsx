/** All blocks, the newest first, down to the first one. New ones appear as they are made. */
import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { BlockMeta } from '../api/blocks.ts'
import { useHead } from '../api/head.ts'
import { engine } from '../api/question.ts'
import { AskButton } from '../ask/ask.tsx'
import { shorten } from '../format/address.ts'
import { formatCount, formatInteger } from '../format/amount.ts'
import { navigate, usePlace } from '../router.tsx'
import { useStore } from '../store.ts'
import { Failure, Skeleton } from '../ui/loaded.tsx'
import { PageTitle } from '../ui/section.tsx'
import { Height, Link, Time } from '../ui/values.tsx'
import { MAX_ROWS, VirtualList } from '../ui/virtual-list.tsx'
import { arrivals, failure, forgetAbove, metaOf, wantBlocks } from './block-cache.ts'

const ROW_PIXELS = 41

/** Drawn rows that are kept, so that scrolling draws only those that come into view. */
const KEPT_ROWS = 500

/** Whether the reader is at the start of the list, where it follows the chain. */
const isAtStart = (): boolean => scrollY < 80

function BlockRow({ height, meta }: { readonly height: bigint; readonly meta: BlockMeta | undefined }) {
  return (
    <>
      <span role="cell" class="col-height">
        <Height height={height} />
      </span>
      <span role="cell" class="col-time muted">
        {meta ? <Time time={meta.header.time} /> : '…'}
      </span>
      <span role="cell" class="col-txs num">
        {meta ? formatInteger(meta.num_txs) : ''}
      </span>
      <span role="cell" class="col-size num muted">
        {meta ? formatInteger(meta.block_size) : ''}
      </span>
      <span role="cell" class="col-hash mono">
        {meta && (
          <Link to={`/block/${height}`} title={meta.block_id.hash}>
            {shorten(meta.block_id.hash, 16, 8)}
          </Link>
        )}
      </span>
    </>
  )
}

export default function BlocksPage() {
  const head = useHead()
  const { query } = usePlace()
  useStore(arrivals)
  const error = useStore(failure)
  const rows = useRef(new Map<bigint, { readonly meta: BlockMeta | undefined; readonly row: VNode }>())
  const fixed = /^[1-9]\d{0,17}$/.test(query.get('from') ?? '') ? BigInt(query.get('from')!) : undefined
  const [top, setTop] = useState<bigint | undefined>(fixed)
  const [wanted, setWanted] = useState('')
  useEffect(() => {
    if (fixed !== undefined) setTop(fixed)
    else if (head && (top === undefined || head.height < top || isAtStart())) setTop(head.height)
    if (head && top !== undefined && head.height < top) forgetAbove(head.height)
  }, [head?.height, fixed])
  useEffect(() => {
    const follow = (): void => {
      if (fixed === undefined && isAtStart() && head && top !== head.height) setTop(head.height)
    }
    addEventListener('scroll', follow, { passive: true })
    return () => removeEventListener('scroll', follow)
  }, [fixed, head?.height, top])
  if (!head || top === undefined) return <Skeleton lines={12} />
  const last = top < head.height ? top : head.height
  const count = last < head.earliest ? 0 : Number(last - head.earliest) + 1
  const lowest = last - BigInt(MAX_ROWS)
  const rowOf = (height: bigint): VNode => {
    const meta = metaOf(height)
    const known = rows.current.get(height)
    if (known && known.meta === meta) return known.row
    const row = <BlockRow height={height} meta={meta} />
    if (rows.current.size > KEPT_ROWS) rows.current.clear()
    rows.current.set(height, { meta, row })
    return row
  }
  const goTo = (event: Event): void => {
    event.preventDefault()
    if (/^\d+$/.test(wanted)) navigate(`/blocks?from=${wanted}`)
  }
  return (
    <>
      <PageTitle title="Blocks">
        {formatCount(head.height - head.earliest + 1n, 'block')}, from {formatInteger(head.earliest)} to{' '}
        {formatInteger(head.height)}
      </PageTitle>
      <div class="bar">
        <form onSubmit={goTo} class="bar-form">
          <label>
            From height{' '}
            <input
              inputMode="numeric"
              pattern="[0-9]*"
              size={10}
              value={wanted}
              onInput={(event) => setWanted(event.currentTarget.value)}
            />
          </label>
          <button type="submit">Show</button>
        </form>
        {fixed !== undefined ? (
          <Link to="/blocks">Latest blocks</Link>
        ) : (
          <span class="muted" aria-live="off">
            {head.height > last ? `${formatInteger(head.height - last)} newer above` : 'New blocks appear here'}
          </span>
        )}
        <AskButton question={engine('blockchain', { minHeight: '1', maxHeight: last.toString() })} />
      </div>
      {error && <Failure error={error} />}
      <div class="card blocks" role="table" aria-label="Blocks" aria-rowcount={count + 1}>
        <div role="row" aria-rowindex={1} class="virtual-head">
          <span role="columnheader" class="col-height">
            Height
          </span>
          <span role="columnheader" class="col-time">
            Time
          </span>
          <span role="columnheader" class="col-txs">
            Txs
          </span>
          <span role="columnheader" class="col-size">
            Bytes
          </span>
          <span role="columnheader" class="col-hash">
            Hash
          </span>
        </div>
        <VirtualList
          count={count}
          rowHeight={ROW_PIXELS}
          label="Blocks"
          row={(index) => rowOf(last - BigInt(index))}
          onView={(first, end) => wantBlocks(last - BigInt(end), last - BigInt(first))}
        />
      </div>
      {lowest >= head.earliest && <Link to={`/blocks?from=${lowest}`}>Older blocks</Link>}
    </>
  )
}
