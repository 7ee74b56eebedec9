/** The node in a program: `startNode` for any chain, `testNode` for one whose blocks and clock a test holds in its hand. */
import { queryError } from '../primitives/errors.ts'
import type { DevAccount } from './accounts.ts'
import { type AssembledNode, assembleNode } from './assembly.ts'
import type { Build } from './build.ts'
import { type PartialConfig, resolveConfig } from './config.ts'
import { parseConfigFile } from './config-file.ts'
import { diskFiles, type Files } from './files.ts'
import type { GatewayUrls } from './gateways.ts'
import { homePaths } from './home.ts'
import { createLog, type Log } from './log.ts'

/** Settings by section, as in `config.toml` with names in camel case; what is absent has its default. */
export interface NodeConfig extends PartialConfig {
  /** Folder of the chain; without it the chain is in memory and gone when the node stops. */
  readonly home?: string
  /** False opens no port: ask with `query`. Otherwise the system chooses every port that is not named. */
  readonly ports?: boolean
}

/** The world outside, for those who bring their own. */
export interface World {
  /** Wall clock, Unix milliseconds. */
  readonly clock?: () => number
  readonly random?: (length: number) => Uint8Array
  /** Receives the log; without it, warnings and errors go to the error output. */
  readonly log?: Log
  readonly files?: Files
  /** The state machine's modules and upgrades, in place of those of this build. */
  readonly build?: Build
}

export interface Node extends AsyncDisposable {
  /** Only of ports that are open. */
  readonly urls: GatewayUrls & Required<Omit<GatewayUrls, 'metrics'>>
  /** Those at m/44'/60'/0'/0/n, then those at m/44'/118'/0'/0/n. */
  readonly accounts: readonly DevAccount[]
  readonly chainId: string
  readonly evmChainId: number
  readonly mnemonic: string
  /** Latest committed height. */
  readonly height: bigint
  /** Makes a block now. Resolves with its height after the commit. */
  nextBlock(): Promise<bigint>
  /**
   * Puts the clock forward and makes the blocks that are needed until no epoch is due: none, or one for each epoch that ended
   * in between. 0 catches up with a clock of one's own that has moved. Resolves with the latest height.
   */
  advance(seconds: number): Promise<bigint>
  /** Answers a REST path as its JSON, without a port: `/chain/evm/v1/params`. Rejects with the error of a failed answer. */
  query(path: string): Promise<Record<string, unknown>>
  stop(): Promise<void>
}

/** In memory, blocks on arrival, no workers, no feeder, every port chosen by the system, unless told otherwise. Many may run at once. */
export async function startNode(config: NodeConfig = {}, world: World = {}): Promise<Node> {
  const { home, ports = true, ...sections } = config
  const files = world.files ?? diskFiles
  const clock = world.clock ?? Date.now
  const text = home === undefined ? undefined : files.read(homePaths(home).config)
  const resolved = resolveConfig({
    caller: {
      ...sections,
      compute: { workers: 0, ...sections.compute },
      feeder: { enabled: false, ...sections.feeder },
    },
    ...(text !== undefined && { file: parseConfigFile(text) }),
  })
  const log =
    world.log ?? createLog({ format: 'text', level: 'warn', write: (line) => process.stderr.write(line), now: clock })
  const assembled = await assembleNode({
    resolved,
    home,
    freePorts: true,
    openPorts: ports,
    log,
    clock,
    files,
    ...(world.random && { random: world.random }),
    ...(world.build && { build: world.build }),
  })
  return nodeOf(assembled)
}

/** Noon of the first day of 2024: the time of a test's genesis. */
const TEST_TIME_MS = Date.UTC(2024, 0, 1, 12)

/** `startNode` with a clock that stands still and blocks made by `nextBlock` alone: the same run every time. */
export async function testNode(config: NodeConfig = {}, world: World = {}): Promise<Node> {
  return startNode(
    { ports: false, ...config, blocks: { time: 'manual', ...config.blocks } },
    { clock: () => TEST_TIME_MS, ...world },
  )
}

function nodeOf(node: AssembledNode): Node {
  const stop = () => node.stop()
  return {
    urls: node.urls as Node['urls'],
    accounts: node.accounts,
    chainId: node.chainId,
    evmChainId: Number(node.evmChainId),
    mnemonic: node.config.chain.mnemonic,
    get height() {
      return node.height
    },
    nextBlock: () => node.gateway.driver.nextBlock(),
    advance: (seconds) => node.advance(BigInt(Math.round(seconds * 1000)) * 1_000_000n),
    async query(path) {
      const { createRestHandler } = await import('../api/rest.ts')
      const answer = await createRestHandler(node.gateway)(path)
      const body = JSON.parse(answer.body) as Record<string, unknown>
      if (answer.status >= 400) throw queryError('unknown', String(body['message'] ?? `status ${answer.status}`))
      return body
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
