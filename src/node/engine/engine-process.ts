/** An engine that this node starts, whose log it shows and which it stops. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { queryError } from '../../primitives/errors.ts'
import type { Files } from '../files.ts'
import type { Log } from '../log.ts'
import type { Config } from '../settings.ts'
import { enginePidFile } from './former-engine.ts'

/** Time in which an engine stops by itself. Beyond: it is killed. */
const STOP_MS = 10_000

export interface EngineProcess {
  stop(): Promise<void>
}

/** The block from which an engine verifies a snapshot, and whom it asks. */
type EngineStateSync = Pick<Config['statesync'], 'rpcServers' | 'trustHeight' | 'trustHash' | 'trustPeriod'>

interface EngineOptions {
  readonly path: string
  readonly home: string
  /** The address of this node's ABCI socket. */
  readonly abci: string
  /** Address of the engine's own RPC, `tcp://HOST:PORT`. */
  readonly rpc: string
  /** Whether that RPC has the methods that change the engine. */
  readonly unsafeRpc: boolean
  /** Name of the node for its peers. */
  readonly moniker: string
  /** Address for peers, `tcp://HOST:PORT`. */
  readonly p2p: string
  /** Peers to stay connected to, `ID@HOST:PORT`, separated by commas. */
  readonly peers: string
  /** Time between a block and the next, milliseconds; undefined for the engine's own. */
  readonly intervalMs: number | undefined
  /** Present to begin at a snapshot of the peers, if the engine has no block. */
  readonly stateSync: EngineStateSync | undefined
  readonly files: Files
  readonly log: Log
  /** Whether `log` has records of level debug. Without them the engine writes its errors only. */
  readonly logsDebug: boolean
  /** Called if the engine ends without being asked to. */
  readonly onExit: (reason: string) => void
}

/** Finds the program of an engine: a path, or `cometbft` on PATH. Throws `failedPrecondition` with how to get it. */
export function findEngine(path: string): string {
  if (path !== '') {
    if (existsSync(path)) return path
    throw queryError('failedPrecondition', `--engine ${path}: no such file`)
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const found = folders.map((folder) => join(folder, 'cometbft')).find((one) => existsSync(one))
  if (found) return found
  throw queryError(
    'failedPrecondition',
    'no cometbft on PATH: run `go install github.com/cometbft/cometbft/cmd/cometbft@v0.38.25`, or give --engine PATH; ' +
      'without an engine a node makes its blocks itself (--consensus solo)',
  )
}

/** Returns the settings of state sync as variables of the engine's environment. */
function stateSyncVariables({ rpcServers, trustHeight, trustHash, trustPeriod }: EngineStateSync) {
  return {
    CMT_STATESYNC_ENABLE: 'true',
    CMT_STATESYNC_RPC_SERVERS: rpcServers.join(','),
    CMT_STATESYNC_TRUST_HEIGHT: String(trustHeight),
    CMT_STATESYNC_TRUST_HASH: trustHash,
    CMT_STATESYNC_TRUST_PERIOD: trustPeriod,
  }
}

/** A line of the engine's log, as JSON. */
interface Line {
  readonly level?: string
  readonly _msg?: string
  readonly msg?: string
  readonly module?: string
  readonly err?: unknown
}

/** Writes a line of the engine to the log of this node. Its ordinary lines, several a block, are at level debug. */
function show(text: string, log: Log): void {
  let line: Line
  try {
    line = JSON.parse(text) as Line
  } catch {
    log('info', 'engine', { line: text.slice(0, 2000) })
    return
  }
  const { level, _msg: message = line.msg ?? '', module, err } = line
  log(level === 'error' ? 'error' : level === 'warn' ? 'warn' : 'debug', `engine: ${message}`, {
    ...(module && { part: module }),
    ...(err !== undefined && { err }),
  })
}

/** Starts the engine. No other one may run in its home: see `endFormerEngine`. */
export function startEngineProcess(options: EngineOptions): EngineProcess {
  const { path, home, abci, rpc, unsafeRpc, moniker, p2p, peers, intervalMs, files, log } = options
  const child: ChildProcess = spawn(
    path,
    [
      'start',
      ...['--home', home, '--proxy_app', abci, '--abci', 'socket'],
      ...['--rpc.laddr', rpc, '--p2p.laddr', p2p, '--moniker', moniker],
      ...(unsafeRpc ? ['--rpc.unsafe'] : []),
      ...(peers === '' ? [] : ['--p2p.persistent_peers', peers]),
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Ctrl-C reaches the node alone, which stops the engine.
      detached: true,
      env: {
        // Searches are answered from the index of this node.
        CMT_TX_INDEX_INDEXER: 'null',
        CMT_LOG_LEVEL: options.logsDebug ? 'info' : 'error',
        ...process.env,
        CMT_LOG_FORMAT: 'json',
        // Peers of one machine share an address.
        CMT_P2P_ALLOW_DUPLICATE_IP: 'true',
        CMT_P2P_ADDR_BOOK_STRICT: 'false',
        ...(options.stateSync && stateSyncVariables(options.stateSync)),
        ...(intervalMs !== undefined && { CMT_CONSENSUS_TIMEOUT_COMMIT: `${intervalMs}ms` }),
      },
    },
  )
  const pidFile = enginePidFile(home)
  if (child.pid !== undefined) files.write(pidFile, `${child.pid}\n`)
  let stopping = false
  for (const stream of [child.stdout!, child.stderr!]) {
    createInterface({ input: stream }).on('line', (text) => show(text, log))
  }
  const ended = new Promise<void>((resolve) => {
    const end = (reason: string): void => {
      files.remove(pidFile)
      resolve()
      if (!stopping) options.onExit(reason)
    }
    child.on('error', (error) => end(`the engine could not start: ${error.message}`))
    child.on('exit', (code, signal) => end(`the engine ended with ${signal ?? `code ${code}`}`))
  })
  return {
    async stop() {
      stopping = true
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      await ended
      clearTimeout(timer)
    },
  }
}
