/** The range of heights that a chart shows: it ends at the height of the page, and does not move by itself. */
import { useMemo, useState } from 'preact/hooks'
import { useHead } from '../api/head.ts'
import { useHeight } from '../api/height.ts'
import { formatInteger } from '../format/amount.ts'

const LENGTHS: readonly bigint[] = [60n, 600n, 6000n, 60_000n]

export interface Range {
  readonly first: bigint
  readonly last: bigint
}

/** Returns the range, once the tip is known, and the controls that change it. `Latest` takes the tip of the moment. */
export function useRange(length = LENGTHS[1]!): {
  readonly range: Range | undefined
  readonly controls: preact.JSX.Element
} {
  const selected = useHeight()
  const head = useHead()
  const [blocks, setBlocks] = useState<bigint | undefined>(length)
  const [round, setRound] = useState(0)
  const isKnown = head !== undefined
  const range = useMemo(() => {
    if (!head) return undefined
    const last = selected ?? head.height
    const first = blocks === undefined || last < head.earliest + blocks ? head.earliest : last - blocks + 1n
    return { first, last }
  }, [selected, isKnown, blocks, round])
  const controls = (
    <>
      <select
        aria-label="Blocks of the chart"
        value={blocks?.toString() ?? 'all'}
        onChange={({ currentTarget: { value } }) => setBlocks(value === 'all' ? undefined : BigInt(value))}
      >
        {LENGTHS.map((one) => (
          <option key={one.toString()} value={one.toString()}>
            {formatInteger(one)} blocks
          </option>
        ))}
        <option value="all">all blocks</option>
      </select>
      {selected === undefined && (
        <button type="button" onClick={() => setRound(round + 1)}>
          Refresh
        </button>
      )}
    </>
  )
  return { range, controls }
}
