/** A line over heights. The library is loaded when the first chart shows; the same values are in a table below it. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type uPlot from 'uplot'
import { formatCount, formatDecimal, formatInteger } from '../format/amount.ts'
import { Table } from '../ui/table.tsx'
import { Unfolding } from '../ui/unfolding.tsx'
import { Height } from '../ui/values.tsx'

export interface Point {
  readonly height: bigint
  /** Exact decimal text; undefined where there was no value. */
  readonly value: string | undefined
}

const PIXELS_HIGH = 240

/** Returns a colour of the page's theme. */
const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** Width of a digit of an axis, and of what is beside the digits. Unit: pixels. */
const DIGIT = 7
const MARGIN = 26

/** Returns the width of an axis for its labels. */
const widthOf = (_: uPlot, labels: readonly string[] | null): number =>
  MARGIN + DIGIT * Math.max(3, ...(labels ?? []).map((label) => label.length))

/** Steps between the marks of an axis of heights: there is nothing between two blocks. */
const WHOLE_STEPS = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat()

function draw(Plot: typeof uPlot, at: HTMLElement, points: readonly Point[], name: string): uPlot {
  const axis = {
    stroke: colour('--muted'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line') },
  }
  return new Plot(
    {
      width: at.clientWidth,
      height: PIXELS_HIGH,
      legend: { show: false },
      cursor: { y: false },
      scales: { x: { time: false } },
      axes: [
        { ...axis, incrs: WHOLE_STEPS, values: (_, splits) => splits.map(formatInteger) },
        { ...axis, size: widthOf, values: (_, splits) => splits.map((split) => formatDecimal(String(split))) },
      ],
      series: [
        { label: 'Height' },
        { label: name, stroke: colour('--accent'), width: 2, points: { show: points.length < 30 }, spanGaps: false },
      ],
    },
    // The picture has the precision of a double; the table has every digit.
    [
      points.map(({ height }) => Number(height)),
      points.map(({ value }) => (value === undefined ? null : Number(value))),
    ],
    at,
  )
}

export function Chart({ points, name }: { readonly points: readonly Point[]; readonly name: string }) {
  const place = useRef<HTMLDivElement>(null)
  const [isMissing, setMissing] = useState(false)
  useEffect(() => {
    const at = place.current!
    let plot: uPlot | undefined
    let isGone = false
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    // It is called at once, too, with the width that the plot has.
    const size = new ResizeObserver(() => {
      if (plot && plot.width !== at.clientWidth) plot.setSize({ width: at.clientWidth, height: PIXELS_HIGH })
    })
    import('uplot').then(
      ({ default: Plot }) => {
        if (isGone) return
        const redraw = (): void => {
          plot?.destroy()
          plot = draw(Plot, at, points, name)
        }
        redraw()
        scheme.onchange = redraw
        size.observe(at)
      },
      () => setMissing(true),
    )
    return () => {
      isGone = true
      scheme.onchange = null
      size.disconnect()
      plot?.destroy()
    }
  }, [points, name])
  const known = points.filter(({ value }) => value !== undefined)
  const [first, last] = [known[0], known.at(-1)]
  const about =
    first && last
      ? `${name} from ${first.value} at height ${first.height} to ${last.value} at height ${last.height}. The values are in the table below.`
      : `${name} has no value here.`
  return (
    <>
      {isMissing && <p class="muted">The chart could not be loaded; the values are below.</p>}
      <div ref={place} class="chain-chart" role="img" aria-label={about} />
      <Unfolding summary={formatCount(points.length, 'value')}>
        {() => (
          <div class="chain-scroll">
            <Table
              rows={[...points].reverse()}
              keyOf={({ height }) => height.toString()}
              isNarrow
              columns={[
                { name: 'Height', cell: ({ height }) => <Height height={height} /> },
                {
                  name,
                  isRight: true,
                  cell: ({ value }) => (value === undefined ? <span class="muted">none</span> : formatDecimal(value)),
                },
              ]}
            />
          </div>
        )}
      </Unfolding>
    </>
  )
}
