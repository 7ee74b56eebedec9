/** `almanac follow`: runs a replica of a chain beside one of its nodes. */

import { Command } from 'commander'
import type { AssembledNode } from '../node/assembly.ts'
import type { Build } from '../node/build.ts'
import type { Setting } from '../node/settings/setting.ts'
import { nodeOutput } from './operation/progress.ts'
import { bannerlessLog, runNode } from './run-node.ts'
import { addSettings, flagsOf, homeOf, resolveSettings } from './settings.ts'
import { processTerminal } from './terminal.ts'

/** Sections whose settings a replica has. */
const SECTIONS: readonly string[] = [
  ...['follow', 'rest', 'grpc', 'jsonrpc', 'comet', 'metrics', 'api', 'rpc', 'compute', 'store', 'log'],
]
const OTHERS: readonly string[] = [
  ...['chain.profile', 'chain.genesis', 'node.port_offset', 'node.moniker', 'node.silent', 'node.public'],
  ...['evm.gas_cap', 'evm.timeout', 'evm.tx_fee_cap', 'snapshots.interval', 'snapshots.keep_recent'],
]
/** Settings of these sections that only a node with a pool or blocks of its own has. */
const NOT: readonly string[] = ['api.min_gas_price', 'comet.unsafe']

/** Whether a setting is one of a replica. */
export function isOfReplica({ section, key }: Setting): boolean {
  const name = `${section}.${key}`
  return (SECTIONS.includes(section) || OTHERS.includes(name)) && !NOT.includes(name)
}

/** Runs a replica until the process is stopped. Resolves only if the start ends it, to the exit code. */
export async function follow(args: readonly string[], build?: Build): Promise<number> {
  const command = new Command('almanac follow')
    .description(
      'Serve a replica of a chain: take the state changes of one of its nodes, verify each block, answer every query.',
    )
    .exitOverride()
    .option('--home <dir>', 'Home of the replica. (default: ALMANAC_HOME, or ~/.almanac)')
  addSettings(command, isOfReplica)
  command.addHelpText(
    'after',
    `
Examples:
  almanac follow --stream ~/.node/data/changes --rpc http://127.0.0.1:26657 --snapshot ~/.node/data/snapshots --profile nibiru
  almanac follow --stream /data/changes --rpc http://10.0.0.1:26657,http://10.0.0.2:26657 --genesis genesis.json
The second start continues where the first one ended. docs/follow.md says what to set on the node.`,
  )
  command.parse([...args], { from: 'user' })
  const { home: folder, ...flags } = flagsOf(command)
  const home = homeOf(folder)
  const resolved = resolveSettings({ ...flags, consensus: 'follow' }, home)
  const { assembleNode } = await import('../node/assembly.ts')
  const terminal = process.stderr.isTTY === true ? processTerminal() : undefined
  const { format } = resolved.config.log
  return runNode({
    open: (reactions) =>
      assembleNode({
        resolved,
        home,
        ...(build && { build }),
        freePorts: false,
        log: undefined,
        ...nodeOutput(terminal, format),
        ...reactions,
      }),
    logFormat: format,
    announce: async (node) => announce(node, home),
  })
}

/** Prints where the replica answers, unless it is turned off. */
function announce(node: AssembledNode, home: string): void {
  const { config, urls, chainId, evmChainId, height } = node
  const follow = node.gateway.driver.status().follow
  bannerlessLog(node)('info', 'started', { chain_id: chainId, height, node_height: follow?.nodeHeight, home, ...urls })
  if (config.node.silent) return
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['chain', `${chainId} (EVM ${evmChainId})`],
    ['height', `${height}${follow?.nodeHeight === undefined ? '' : ` of ${follow.nodeHeight}`}`],
    ['home', home],
    ['stream', config.follow.stream],
    ['node', config.follow.rpc.join(', ')],
    ['verify', config.follow.verify === 'off' ? 'off: unverified state is served' : 'every block'],
    ['transactions', config.follow.forward.length > 0 ? `go to ${config.follow.forward.join(', ')}` : 'refused'],
    ['REST', urls.rest],
    ['gRPC', urls.grpc],
    ['JSON-RPC', urls.jsonrpc],
    ['WebSocket', urls.ws],
    ['CometBFT', urls.comet],
    ['metrics', urls.metrics],
  ]
  const shown = rows.filter(([, value]) => value !== undefined && value !== '')
  const width = Math.max(...shown.map(([name]) => name.length))
  process.stdout.write(`\nreplica\n${shown.map(([name, value]) => `  ${name.padEnd(width)}  ${value}\n`).join('')}\n`)
}
