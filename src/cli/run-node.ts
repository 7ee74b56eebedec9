/** Runs the node of a command until the process is stopped. */
import type { AssembledNode, AssemblyOptions } from '../node/assembly.ts'
import type { HaltNotice } from '../node/halts.ts'
import { ChainError } from '../primitives/errors.ts'

/** Time limit of a clean stop, after which the process exits anyway. Unit: milliseconds. */
const STOP_TIMEOUT_MS = 10_000
/**
 * Delay between closing everything and the exit of a process that has halted for the next build. Supervisors poll for
 * `upgrade-info.json` every 300 ms by default; if cosmovisor polls at the moment of the exit, it takes the exit for a crash.
 * Unit: milliseconds.
 */
const SUPERVISOR_DELAY_MS = 2000

export interface RunOptions {
  /** Starts the node, with the reactions to the end of its chain or engine. */
  readonly open: (
    reactions: Required<Pick<AssemblyOptions, 'onHalt' | 'onEngineExit' | 'onOpen'>>,
  ) => Promise<AssembledNode>
  /** Format of the log. */
  readonly logFormat: string
  /** Tells people and programs that the node runs. If it rejects, the node is stopped. */
  readonly announce: (node: AssembledNode) => Promise<void>
  /** Runs before the node is stopped, for what belongs to its end. */
  readonly beforeStop?: (node: AssembledNode) => Promise<void>
}

/**
 * Runs a node until the process gets SIGINT, SIGTERM or SIGHUP. Resolves only if the chain halts or a signal comes during the
 * start, to the exit code.
 */
export async function runNode({ open, logFormat, announce, beforeStop }: RunOptions): Promise<number> {
  let exitCode = 0
  let lingerMs = 0
  let stop = () => {}
  let isInterrupted = false
  /** Reacts to a signal: the stop waits until the start is complete, and a second signal ends the process. */
  let interrupt = () => {
    interrupt = () => process.exit(1)
    isInterrupted = true
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref()
  }
  // The supervisor of this process is gone (docs/network.md).
  if (process.connected) process.on('disconnect', () => (isOpen ? stop() : process.exit(1)))
  let isOpen = false
  let node: AssembledNode
  try {
    node = await open({
      onOpen() {
        // Before that a signal ends the process at once: nothing else runs yet, and the chain is complete at every moment.
        for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupt())
      },
      onEngineExit(reason) {
        exitCode ||= 1
        process.stderr.write(`${reason}\n`)
        stop()
      },
      onHalt(notice) {
        announceHalt(notice, logFormat)
        if (notice.serves) return
        exitCode = notice.exitCode
        if (notice.callsSupervisor) lingerMs = SUPERVISOR_DELAY_MS
        stop()
      },
    })
  } catch (error) {
    // A terminal interrupts API workers too, without which the start fails.
    if (isInterrupted) return exitCode
    if (exitCode === 0) throw error
    await delay(lingerMs)
    return exitCode
  }
  isOpen = true
  const logUnlessBanner = bannerlessLog(node)
  stop = () => {
    // The engine of a halted chain ends by itself during the stop; only a second signal cuts it short.
    stop = () => {}
    interrupt = () => process.exit(exitCode || 1)
    logUnlessBanner('info', 'stopping', { height: node.height })
    const end = async () => {
      try {
        await beforeStop?.(node)
      } finally {
        await node.stop()
      }
    }
    end()
      .catch((error: unknown) => {
        exitCode ||= 1
        if (error instanceof ChainError) node.log('error', error.message)
        else node.log('error', 'the stop was not clean; a chain on disk is complete up to its last block', { error })
      })
      .then(() => delay(lingerMs))
      .finally(() => process.exit(exitCode))
    setTimeout(() => process.exit(exitCode || 1), STOP_TIMEOUT_MS).unref()
  }
  interrupt = () => stop()
  if (isInterrupted) {
    stop()
    return new Promise(() => undefined)
  }
  try {
    await announce(node)
  } catch (error) {
    // A reader that waits for what could not be announced would otherwise never return.
    await node.stop()
    throw error
  }
  return new Promise(() => undefined)
}

/** Returns the log for what the banner tells people: silent if there is one. */
export function bannerlessLog({ config, log }: Pick<AssembledNode, 'config' | 'log'>): AssembledNode['log'] {
  return config.node.silent || config.log.format === 'json' ? log : () => {}
}

/**
 * Prints the line that supervisors look for, on standard output and, if the log is JSON, on standard error too. As text the log
 * contains it already.
 */
function announceHalt({ line }: HaltNotice, logFormat: string): void {
  if (line === undefined) return
  process.stdout.write(`${line}\n`)
  if (logFormat === 'json') process.stderr.write(`${line}\n`)
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
