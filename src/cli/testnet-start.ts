/** `almanac testnet start DIR`: runs the nodes of a network, and shows them in one table until it is stopped. */
import { Command } from 'commander'
import { configError, resolveConfig } from '../node/config.ts'
import { parseConfigFile } from '../node/config-file.ts'
import { findEngine } from '../node/engine/engine-process.ts'
import { requireSafeVersion, versionOf } from '../node/engine/engine-version.ts'
import { diskFiles } from '../node/files.ts'
import { homePaths } from '../node/home-paths.ts'
import { type NodeChild, startChild } from '../node/testnet/children.ts'
import { readTestnet, type Testnet } from '../node/testnet/manifest.ts'
import { type Sight, watchNodes } from '../node/testnet/watch.ts'
import { type Row, renderLine, renderTable } from './testnet-table.ts'

interface Flags {
  readonly nodes?: string
  readonly waitHeight?: string
  readonly engine?: string
  readonly json?: boolean
}

const LOOK_MS = 1000
/** Time between two tables where nothing can be drawn over, as in a file. */
const PRINT_MS = 10_000
/** Moves the cursor up by lines, and clears the screen below it. */
const over = (lines: number): string => `\x1b[${lines}F\x1b[J`

export async function testnetStart(args: readonly string[]): Promise<number> {
  const command = new Command('almanac testnet start')
    .description(
      'Run the nodes of a network with their engines, and show heights, rounds, peers and rates. Ctrl-C stops all of them. ' +
        'A node that ends is named, and the others go on; start it again by `almanac start --home DIR/nodeN`. ' +
        'The output of a node is in DIR/nodeN/node.log.',
    )
    .argument('<dir>', 'folder that `almanac testnet` has written')
    .option('--nodes <list>', 'nodes to run, such as 0,2 (default: all)')
    .option(
      '--wait-height <height>',
      'stop all nodes once each of them has this height, with exit code 0; with 1 if a node ends before',
    )
    .option('--engine <path>', 'program of CometBFT (default: that of the homes, or cometbft on PATH)')
    .option('--json', 'print a line of JSON each second')
    .exitOverride()
  command.parse([...args], { from: 'user' })
  const flags = command.opts<Flags>()
  const testnet = readTestnet(command.args[0]!, diskFiles)
  const indexes = parseNodes(flags.nodes, testnet)
  const waitHeight = parseHeight(flags.waitHeight)
  requireEngine(flags.engine ?? engineOf(testnet))
  return await run(testnet, indexes, { waitHeight, engine: flags.engine, json: flags.json === true })
}

function parseNodes(list: string | undefined, { nodes }: Testnet): readonly number[] {
  if (list === undefined) return nodes.map((_, i) => i)
  const indexes = list.split(',').map((text) => (/^\d{1,4}$/.test(text.trim()) ? Number(text) : -1))
  if (indexes.some((index) => index < 0 || index >= nodes.length)) {
    throw configError(`--nodes ${list}: must be numbers of nodes, 0 to ${nodes.length - 1}, separated by commas`)
  }
  return [...new Set(indexes)]
}

function parseHeight(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw configError(`--wait-height ${text}: must be the height of a block, such as 20`)
}

/** Returns the program of the engine in the settings of the first node. */
function engineOf({ nodes }: Testnet): string {
  const text = diskFiles.read(homePaths(nodes[0]!.home).config)
  return resolveConfig(text === undefined ? {} : { file: parseConfigFile(text) }).config.consensus.program
}

/** Throws `failedPrecondition` unless an engine can run, which each node would find out by itself otherwise. */
function requireEngine(program: string): void {
  if (program !== 'none') requireSafeVersion(versionOf(findEngine(program)))
}

interface Options {
  readonly waitHeight: number | undefined
  readonly engine: string | undefined
  readonly json: boolean
}

/** Returns the state of a node: that of its process, and what it says of itself. */
function stateOf(child: NodeChild, sight: Sight | undefined): string {
  const end = child.ended()
  if (end !== undefined) return sight ? `${end}; runs again` : end
  return sight ? (sight.catchingUp ? 'catching up' : 'running') : 'starting'
}

async function run(testnet: Testnet, indexes: readonly number[], options: Options): Promise<number> {
  const nodes = indexes.map((index) => testnet.nodes[index]!)
  const watch = watchNodes(nodes, () => performance.now())
  const show = options.json ? showLines() : showTable()
  let leave: (code: number) => void = () => undefined
  const left = new Promise<number>((resolve) => {
    leave = resolve
  })
  const children: NodeChild[] = []
  const onEnd = (child: NodeChild): void => {
    show.note([`${child.name} ${child.ended()} (${child.log})`, ...child.lastLines().map((line) => `  ${line}`)])
    if (options.waitHeight !== undefined || children.every((one) => one.ended() !== undefined)) leave(1)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => leave(0))
  for (const [i, node] of nodes.entries()) {
    children.push(
      startChild({
        index: indexes[i]!,
        node,
        command: [process.execPath, ...process.execArgv, process.argv[1]!],
        engine: options.engine,
        files: diskFiles,
        onEnd,
      }),
    )
  }
  let code: number | undefined
  void left.then((found) => {
    code = found
  })
  while (code === undefined) {
    const begun = performance.now()
    const sights = await Promise.race([watch.look(), left.then(() => undefined)])
    if (!sights) break
    const rows: Row[] = children.map((child, i) => ({
      name: child.name,
      state: stateOf(child, sights[i]),
      sight: sights[i],
    }))
    show.rows(rows)
    const { waitHeight } = options
    if (waitHeight !== undefined && sights.every((sight) => sight !== undefined && sight.height >= waitHeight)) leave(0)
    await Promise.race([left, new Promise((resolve) => setTimeout(resolve, LOOK_MS - (performance.now() - begun)))])
  }
  await Promise.all(children.map((child) => child.stop()))
  return await left
}

/** The place that shows the state of the network. */
interface Display {
  rows(rows: readonly Row[]): void
  /** Shows lines that stay. */
  note(lines: readonly string[]): void
}

function showLines(): Display {
  return {
    rows: (rows) => void process.stdout.write(`${renderLine(rows, new Date().toISOString())}\n`),
    note: (lines) => void process.stderr.write(`${lines.join('\n')}\n`),
  }
}

/** Shows a table that is drawn over on a terminal, and printed now and then elsewhere. */
function showTable(): Display {
  const { stdout } = process
  let drawn = 0
  let printedMs = Number.NEGATIVE_INFINITY
  return {
    rows(rows) {
      const text = renderTable(rows)
      if (stdout.isTTY) {
        stdout.write(`${drawn > 0 ? over(drawn) : ''}${text}\n`)
        drawn = text.split('\n').length
      } else if (performance.now() - printedMs >= PRINT_MS) {
        stdout.write(`${text}\n\n`)
        printedMs = performance.now()
      }
    },
    note(lines) {
      if (stdout.isTTY && drawn > 0) stdout.write(over(drawn))
      drawn = 0
      process.stderr.write(`${lines.join('\n')}\n`)
    },
  }
}
