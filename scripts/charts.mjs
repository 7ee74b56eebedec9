/**
 * `npm run charts`: draws `docs/images/` from the data that benchmarks write to `bench/data/`. With `--check` it only says which picture is
 * not that of its data. The pictures follow the colour scheme of their reader.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Block interval of the reference under the same load, against its idle interval; then it takes all memory. It has no series of blocks. */
const REFERENCE = 2.6
const BLOCKS = 40
const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [760, 300, 60, 46, 20, 40]
const HIGHEST = 3

const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #333a45 }
.title { font-weight: 600; font-size: 15px }
.grid { stroke: #d9dee5 }
.ours { stroke: #0b6bcb; fill: none; stroke-width: 2.5 }
.second { stroke: #15803d; fill: none; stroke-width: 2 }
.third { stroke: #9333ea; fill: none; stroke-width: 2 }
.idle { stroke: #7a8699; fill: none; stroke-width: 1.5 }
.reference { stroke: #c2410c; stroke-width: 2.5; stroke-dasharray: 7 5 }
.ours-name { fill: #0b6bcb }
.second-name { fill: #15803d }
.third-name { fill: #9333ea }
.reference-name { fill: #c2410c }
@media (prefers-color-scheme: dark) {
text { fill: #d6dbe3 }
.grid { stroke: #3a4250 }
.ours { stroke: #6cb2ff }
.second { stroke: #4ade80 }
.third { stroke: #c99bff }
.idle { stroke: #93a0b3 }
.reference { stroke: #ff9a5c }
.ours-name { fill: #6cb2ff }
.second-name { fill: #4ade80 }
.third-name { fill: #c99bff }
.reference-name { fill: #ff9a5c }
}`

const round = (value) => Math.round(value * 10) / 10
const x = (block) => round(LEFT + (block / (BLOCKS - 1)) * (WIDTH - LEFT - RIGHT))
const y = (times) => round(HEIGHT - BOTTOM - (times / HIGHEST) * (HEIGHT - TOP - BOTTOM))
const text = (left, top, content, classes = '', anchor = 'start') =>
  `<text x="${left}" y="${top}"${classes && ` class="${classes}"`}${anchor === 'start' ? '' : ` text-anchor="${anchor}"`}>${content}</text>`
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]

/** Draws series of block intervals against the median of the idle node. */
function drawIntervals({ title, about, idle, series, more }) {
  const unit = median(idle.intervalsMs)
  const line = ({ intervalsMs }, classes) =>
    `<polyline class="${classes}" points="${intervalsMs
      .slice(0, BLOCKS)
      .map((ms, i) => `${x(i)},${y(ms / unit)}`)
      .join(' ')}"/>`
  const grid = [0, 1, 2, 3].map(
    (tick) =>
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(tick)}" y2="${y(tick)}"/>${text(LEFT - 10, y(tick) + 4, `${tick} ×`, '', 'end')}`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${about}">
<style>${STYLE}
</style>
${text(LEFT, 24, title, 'title')}
${grid.join('\n')}
${line(idle, 'idle')}
${series.map(({ of, classes }) => line(of, classes)).join('\n')}
${more.join('\n')}
${text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, `${BLOCKS} blocks, one after another; 1 × is the interval of the idle node`, '', 'middle')}
</svg>
`
}

const find = (data, load) => data.find((one) => one.load === load)

/** Draws the block interval under a load of endless calls, and what is known of the reference. */
function drawFlatLine(data) {
  const loaded = find(data, 'endless eth_call')
  const title = `Block interval while ${loaded.connections} connections ask for an endless eth_call`
  return drawIntervals({
    title,
    about: `${title}: ours stays at 1 second, the reference needs ${REFERENCE} times its idle interval and then all memory.`,
    idle: find(data, 'idle'),
    series: [{ of: loaded, classes: 'ours' }],
    more: [
      `<line class="reference" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(REFERENCE)}" y2="${y(REFERENCE)}"/>`,
      text(
        LEFT + 8,
        y(REFERENCE) + 20,
        `reference: ${REFERENCE} ×, then out of memory (one figure, no series)`,
        'reference-name',
      ),
      text(LEFT + 8, y(1) + 24, 'Almanac, each block; thin: without the load', 'ours-name'),
    ],
  })
}

/** Draws the block intervals under each load of the benchmark. */
function drawLoads(data) {
  const classes = ['ours', 'second', 'third']
  const loads = data.filter(({ load }) => load !== 'idle')
  return drawIntervals({
    title: 'Block interval of a node under load',
    about: 'Block intervals under three loads of queries stay at that of the idle node.',
    idle: find(data, 'idle'),
    series: loads.map((of, i) => ({ of, classes: classes[i] })),
    more: loads.map(({ load, connections }, i) =>
      text(LEFT + 8, y(2.7) + i * 20, `${load}, ${connections} connections`, `${classes[i]}-name`),
    ),
  })
}

const CHARTS = [
  { data: 'isolation', name: 'flat-line', draw: drawFlatLine },
  { data: 'isolation', name: 'block-intervals', draw: drawLoads },
]

let stale = 0
for (const { data, name, draw } of CHARTS) {
  const file = join(root, 'docs/images', `${name}.svg`)
  const drawn = draw(JSON.parse(readFileSync(join(root, 'bench/data', `${data}.json`), 'utf8')))
  if (existsSync(file) && readFileSync(file, 'utf8') === drawn) continue
  stale++
  if (!process.argv.includes('--check')) writeFileSync(file, drawn)
  process.stdout.write(`${process.argv.includes('--check') ? 'differs' : 'written'}: docs/images/${name}.svg\n`)
}
if (process.argv.includes('--check') && stale > 0) process.exitCode = 1
