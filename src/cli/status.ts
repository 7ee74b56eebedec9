/** `almanac status`: shows the status of a running node, or whether this build can continue the chain of a stopped one. */
import { Command } from 'commander'
import { HALTED_HEADER, LAG_HEADER } from '../api/status-headers.ts'
import { haltedByUpgrade } from '../consensus/halted.ts'
import type { Build } from '../node/build.ts'
import { diskFiles } from '../node/files.ts'
import { addressOf } from '../node/gateways.ts'
import { type HomePaths, homePaths } from '../node/home-paths.ts'
import { lockHolder } from '../node/lock.ts'
import { hasDatabase, noBlockError } from '../node/lost-chain.ts'
import { readHome } from '../node/read-home.ts'
import { readRunFile } from '../node/run-file.ts'
import type { Config } from '../node/settings.ts'
import { queryError } from '../primitives/errors.ts'
import { requireHttpUrl } from './client.ts'
import { addSettings, flagsOf, homeOf, resolveSettings } from './settings.ts'

interface CometStatus {
  readonly node_info: { readonly network: string; readonly moniker: string; readonly version: string }
  readonly sync_info: {
    readonly latest_block_height: string
    readonly latest_block_time: string
    readonly latest_app_hash: string
    readonly earliest_block_height: string
    readonly catching_up: boolean
  }
  readonly validator_info: { readonly address: string; readonly voting_power: string }
}

/** Settings that lead to the node, or say what it would do next. */
const STATUS_SETTINGS = new Set(['comet.host', 'comet.port', 'node.port_offset', 'upgrade.skip'])

export async function status(args: readonly string[], build?: Build): Promise<number> {
  const command = new Command('almanac status')
    .description('Show height, app hash and health of a running node, as JSON.')
    .option('--home <dir>', 'Home of the node. (default: ALMANAC_HOME, or ~/.almanac)')
    .option(
      '-n, --node <url>',
      'URL of the CometBFT RPC of the node. (default: that of the node that runs in the home)',
    )
    .option('-w, --watch', 'Print a line for each block, until the command is stopped.')
    .exitOverride()
  addSettings(command, ({ section, key }) => STATUS_SETTINGS.has(`${section}.${key}`))
  command.parse([...args], { from: 'user' })
  const { node, watch, ...flags } = flagsOf(command)
  const home = homeOf(flags['home'])
  const { config } = resolveSettings(flags, home)
  const isPlain = !Object.keys(flags).some((flag) => flag !== 'home')
  const urls = isPlain ? readRunFile(home, diskFiles) : undefined
  const running = urls?.comet
  const ownUrl = `http://${addressOf(config.comet.host, config.comet.port + config.node.portOffset)}`
  const rpc = String(node ?? running ?? ownUrl)
    .replace(/^tcp:/, 'http:')
    .replace(/\/+$/, '')
  if (node !== undefined) requireHttpUrl(rpc, 'the URL of a CometBFT RPC, such as http://127.0.0.1:26657')
  if (watch !== undefined) {
    const { watchStatus } = await import('./status-watch.ts')
    await watchStatus(rpc, (line) => process.stdout.write(`${line}\n`), new AbortController().signal)
  }
  const url = `${rpc}/status`
  let result: CometStatus | undefined
  let halted: string | null
  let lag: string | null
  try {
    const response = await fetch(url)
    halted = response.headers.get(HALTED_HEADER)
    lag = response.headers.get(LAG_HEADER)
    result = resultOf(await response.text())
  } catch {
    const paths = homePaths(home)
    // Without a run file the URL is a guess, which would mislead.
    if (isPlain && urls === undefined && diskFiles.exists(paths.record)) await refuseHome(paths, config, build)
    throw queryError('unavailable', `no node answers at ${url}; ${await adviceFor(paths, config, build)}`)
  }
  if (!result?.sync_info)
    throw queryError(
      'unavailable',
      `the server at ${url} is not the CometBFT RPC of a node: check --node, --home, --comet-port and --port-offset`,
    )
  const { node_info, sync_info, validator_info } = result
  const shown = {
    chain_id: node_info.network,
    moniker: node_info.moniker,
    height: sync_info.latest_block_height,
    earliest_height: sync_info.earliest_block_height,
    time: sync_info.latest_block_time,
    app_hash: sync_info.latest_app_hash,
    catching_up: sync_info.catching_up,
    halted,
    ...(lag !== null && { lag }),
    validator: validator_info.address,
    voting_power: validator_info.voting_power,
  }
  process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`)
  return 0
}

/** Rejects with `unavailable`, which says why no node answers in a home that has no ports on record. */
async function refuseHome(paths: HomePaths, config: Config, build: Build | undefined): Promise<never> {
  const holder = lockHolder(paths.lock, diskFiles)
  throw queryError(
    'unavailable',
    holder === undefined
      ? `no node runs in ${paths.root}; ${await adviceFor(paths, config, build)}`
      : `process ${holder} runs in ${paths.root}, and has no open port yet: a node opens its ports when its chain is ready, so repeat this; prune, compact and reindex open none`,
  )
}

/** Returns the result in an answer of the CometBFT RPC; undefined in that of another server. */
function resultOf(answer: string): CometStatus | undefined {
  try {
    return (JSON.parse(answer) as { readonly result?: CometStatus } | null)?.result
  } catch {
    return undefined
  }
}

/** Returns the advice for an operator whose node does not answer. */
async function adviceFor(paths: HomePaths, config: Config, build: Build | undefined): Promise<string> {
  if (!diskFiles.exists(paths.record)) return 'start one with `almanac start`'
  const holder = lockHolder(paths.lock, diskFiles)
  if (holder !== undefined) {
    return `process ${holder} runs in ${paths.root}: pass the port flags that it was started with, such as --port-offset`
  }
  if (!hasDatabase(paths)) return noBlockError(paths, diskFiles).message
  const stopped = await readStopped(paths, config.upgrade.skip.map(BigInt), build)
  if (stopped === undefined) return 'start it with `almanac start`'
  const { height, halt } = stopped
  const where = `the chain in ${paths.root} is at height ${height}`
  if (!halt) return `${where}: start it with \`almanac start\``
  const { reason, next } = haltedByUpgrade(halt)
  return `${where}, and this build halts there: ${reason}; ${next}`
}

/**
 * Returns the height of a stopped chain and the halt of this build at the next block, if any; undefined before the first block.
 */
function readStopped(paths: HomePaths, skip: readonly bigint[], build: Build | undefined) {
  return readHome(
    paths,
    diskFiles,
    ({ app, store }) => {
      const height = store.latestHeight()
      if (height === 0n) return undefined
      const state = store.at()
      try {
        return { height, halt: app.haltBefore(state, height + 1n) }
      } finally {
        state.close()
      }
    },
    { build, skip },
  )
}
