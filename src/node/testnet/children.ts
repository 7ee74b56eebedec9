/** The nodes of a network as child processes: started, watched, and stopped with their engines. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { endFormerEngine } from '../engine/former-engine.ts'
import type { Files } from '../files.ts'
import { homePaths } from '../home-paths.ts'
import { lockHolder } from '../lock.ts'
import type { TestnetNode } from './manifest.ts'

/** Time in which a node stops with its engine. Beyond: it is killed. */
const STOP_MS = 15_000
/** Lines of a log that tell why a node has ended. */
const LAST_LINES = 3
/** Size beyond which the log of earlier starts is set aside. */
const LONG_LOG_BYTES = 16_000_000

/** A node that this process has started. */
export interface NodeChild {
  /** Name of the node, `node0`. */
  readonly name: string
  readonly node: TestnetNode
  /** Path of the file that receives its output. */
  readonly log: string
  readonly pid: number | undefined
  /** Returns how it has ended, such as `ended with SIGKILL`; undefined while it runs. */
  ended(): string | undefined
  /** Returns the last lines of its log if it has ended by itself; none if it was killed. */
  lastLines(): readonly string[]
  /** Stops it and its engine. Resolves when both have ended. */
  stop(): Promise<void>
}

interface ChildOptions {
  readonly index: number
  readonly node: TestnetNode
  /** Program and arguments that precede `start`. */
  readonly command: readonly [program: string, ...args: string[]]
  /** Program of the engine, for `--engine`; undefined for that of the home's settings. */
  readonly engine: string | undefined
  readonly files: Files
  /** Called once, when it ends without being asked to. */
  readonly onEnd: (child: NodeChild) => void
}

/** Sets the log of earlier starts aside once it is long, in the place of the one set aside before. */
function keepEarlier(log: string): void {
  const { size } = statSync(log, { throwIfNoEntry: false }) ?? { size: 0 }
  if (size > LONG_LOG_BYTES) renameSync(log, `${log}.1`)
}

/**
 * Starts a node. Its output is appended to `node.log` in its home. It has its own process group, so that Ctrl-C reaches this process
 * alone, and it ends when this process is killed.
 */
export function startChild({ index, node, command, engine, files, onEnd }: ChildOptions): NodeChild {
  const log = join(node.home, 'node.log')
  keepEarlier(log)
  const [program, ...args] = command
  const output = openSync(log, 'a')
  const child: ChildProcess = spawn(
    program,
    [...args, 'start', '--home', node.home, '--silent', ...(engine === undefined ? [] : ['--engine', engine])],
    { stdio: ['ignore', output, output, 'ipc'], detached: true },
  )
  closeSync(output)
  let end: string | undefined
  let wasKilled = false
  let stopping = false
  const ended = new Promise<void>((resolve) => {
    const finish = (text: string): void => {
      if (end !== undefined) return
      end = text
      resolve()
      if (!stopping) onEnd(self)
    }
    child.on('error', (error) => finish(`could not start: ${error.message}`))
    child.on('exit', (code, signal) => {
      wasKilled = signal !== null
      finish(`ended with ${signal ?? `exit code ${code}`}`)
    })
  })
  const self: NodeChild = {
    name: `node${index}`,
    node,
    log,
    pid: child.pid,
    ended: () => end,
    lastLines: () => (wasKilled ? [] : (files.read(log) ?? '').trimEnd().split('\n').slice(-LAST_LINES)),
    async stop() {
      stopping = true
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      await ended
      clearTimeout(timer)
      if (child.connected) child.disconnect()
      // A user can have started the node again.
      if (lockHolder(homePaths(node.home).lock, files) !== undefined) return
      await endFormerEngine(homePaths(node.home).engine, files, () => undefined)
    },
  }
  return self
}
