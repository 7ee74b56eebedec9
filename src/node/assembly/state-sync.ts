/** State sync of a node under CometBFT: before its storage opens, an engine without blocks can restore a snapshot of its peers. */
import { APPLICATION_NAME } from '../../api/software.ts'
import { createStateReceiver } from '../../consensus/cometbft/receive-state.ts'
import type { EngineSocket } from '../../consensus/cometbft/waiting.ts'
import type { Build } from '../build.ts'
import type { OpenedChain } from '../chain.ts'
import { configError } from '../config.ts'
import { type Log, moduleLog } from '../log.ts'
import type { Config } from '../settings.ts'
import { restoreTargetOf } from '../snapshots/home-snapshots.ts'
import { clearRestore, hasBlocks, startRestore } from '../snapshots/restore-run.ts'
import { VERSION } from '../version.ts'
import { type EngineRunner, runsElsewhere } from './comet.ts'

/** Throws `invalidArgument` for settings of state sync with which no engine could verify a snapshot. */
export function requireStateSync({ consensus, statesync }: Config): void {
  const { enabled, rpcServers, trustHeight, trustHash } = statesync
  if (!enabled) return
  if (consensus.engine !== 'cometbft')
    throw configError('statesync.enabled (--state-sync) needs --consensus cometbft: a chain of its own has no peers')
  if (runsElsewhere(consensus)) {
    throw configError(
      'statesync.enabled (--state-sync) is for an engine that this node runs: for one that runs elsewhere set `enable` in section [statesync] of its config.toml',
    )
  }
  if (rpcServers.length < 2) {
    throw configError(
      'statesync.rpc_servers has fewer than two URLs: the engine compares two, such as --state-sync-rpc-servers http://10.0.0.1:26667,http://10.0.0.2:26667',
    )
  }
  if (trustHeight === 0n)
    throw configError(
      'statesync.trust_height is 0: set a recent height of the chain, and statesync.trust_hash to its block hash',
    )
  if (!/^[0-9a-f]{64}$/i.test(trustHash))
    throw configError(
      `statesync.trust_hash is "${trustHash}": it must be the hash of block ${trustHeight}, 64 hexadecimal digits`,
    )
}

/**
 * Lets the engine of a chain without blocks restore a snapshot. Resolves once it has, or begins the chain. Does nothing for an
 * engine that this node runs without state sync. Rejects if the engine ends.
 */
export async function receiveState(
  parts: {
    readonly chain: OpenedChain
    readonly socket: EngineSocket | undefined
    readonly engine: EngineRunner | undefined
    readonly build: Build | undefined
    readonly log: Log
  },
  undo: (() => unknown)[],
): Promise<void> {
  const { chain, socket, engine, build, log } = parts
  const { config, home } = chain
  if (!home) return
  const { data } = home.paths
  clearRestore(data)
  if (!socket || !engine || (!config.statesync.enabled && !runsElsewhere(config.consensus))) return
  if (await hasBlocks(data)) return
  const target = restoreTargetOf(chain, build)
  const receiver = createStateReceiver({
    start({ height, hash }) {
      const { write, finish, abandon } = startRestore({ ...target, height, hash })
      return { write, abandon, finish: (appHash) => finish(appHash).then(() => undefined) }
    },
    log: moduleLog(log, 'snapshots'),
  })
  undo.push(receiver.stop)
  const received = socket.receiveState(receiver, { data: APPLICATION_NAME, version: VERSION })
  await engine.start()
  await Promise.race([received, engine.failed])
}
