/** A node: the engine, modelled, and the application, real. The engine follows docs/cometbft.md#handshake. */
import { CheckTxType, type Response } from '../../src/gen/tendermint/abci/types_pb.ts'
import { equal, toKey } from '../../src/primitives/bytes.ts'
import { sha256 } from '../../src/primitives/hash.ts'
import type { Block, Outcome } from './chain.ts'
import { type Disk, Killed } from './disk.ts'
import { Broken, type Ledger } from './ledger.ts'
import { type AppProcess, MOST_HELD, startProcess } from './process.ts'
import * as requests from './requests.ts'

/** The end of an engine, whose application goes on. */
export class EngineKilled extends Error {}

/** Ends a process around one of the next calls. */
interface CallFault {
  readonly who: 'application' | 'engine'
  readonly when: 'before' | 'after'
  /** Counts calls of one kind alone. */
  readonly kind?: string | undefined
  calls: number
}

type Answer<Case extends Response['value']['case']> = Extract<Response['value'], { readonly case: Case }>['value']

export interface Node {
  readonly name: string
  readonly dialect: requests.Dialect
  disk(): Disk
  /** Transactions of the engine's pool, in order of arrival. */
  readonly mempool: Map<string, Uint8Array>
  /** The process of the application, if it runs; the engine runs only with it. */
  process(): AppProcess | undefined
  isUp(): boolean
  /** Height of the last block in the engine's store. */
  stored(): number
  /** Lets the engine take transactions that the application hands over, or no more: timers are no part of the schedule. */
  listen(does: boolean): void
  /** Sets a fault of the next calls. */
  arm(fault: CallFault | undefined): void
  /** Starts what does not run, replays what the application lacks, and fetches the blocks since. */
  start(): Promise<void>
  /** Executes the next block. */
  receive(block: Block): Promise<void>
  prepare(block: Block, maxTxBytes: number): Promise<readonly Uint8Array[]>
  accepts(block: Block): Promise<boolean>
  /** Hands transactions to the pool in one go, as peers and clients do. Resolves with the codes. */
  check(txs: readonly Uint8Array[], isRecheck?: boolean): Promise<readonly number[]>
  /** Ends the engine, and the application unless it stays. */
  kill(applicationStays?: boolean): Promise<void>
  /** Stops both as an operator does. */
  stop(): Promise<void>
  /** Height of the last block that the application has committed. */
  committed(): number
  /** Gives the application another disk, which has this height. It does not run. */
  replaceDisk(disk: Disk, height: number): void
  /** Takes blocks away from the end of the engine's store, as a backup lacks them. Neither runs. */
  forget(height: number): void
}

interface Options {
  readonly name: string
  readonly dialect: requests.Dialect
  readonly disk: Disk
  readonly ledger: Ledger
  readonly sockets: boolean
  /** Height that engine and application have on their disks. */
  readonly height: number
  readonly elapsed: () => number
  readonly say: (line: string) => void
}

export function createNode({ name, dialect, ledger, sockets, height, elapsed, say, ...given }: Options): Node {
  let { disk } = given
  const mempool = new Map<string, Uint8Array>()
  const bugs: unknown[] = []
  let process: AppProcess | undefined
  let isUp = false
  let listens = false
  let fault: CallFault | undefined
  /** Last height of the engine's blocks, and of its state. */
  let stored = height
  let state = height
  /** Last heights whose Commit was answered, and was sent. */
  let answered = height
  /** The answers to the last block that was executed, which the engine keeps; the app hash is added to those of version 1.0. */
  let responses: { readonly of: number; readonly outcome: (appHash: Uint8Array) => Outcome } | undefined
  let sent = height
  /** Height below which no crash takes the application: that of the last Info, and of the last block after a proposal. */
  let safe = height
  /** Whether the application has seen a proposal since its last block. */
  let hasProposal = false

  const rpc = {
    isCatchingUp: async () => false,
    async broadcast(txs: readonly Uint8Array[]) {
      if (!isUp || !listens) throw new Error('the engine does not answer')
      // The hand-over would hide a fault from the schedule.
      const kept = fault
      fault = undefined
      try {
        const codes = await check(txs)
        return codes.map((code) => ({ code, codespace: '', log: code === 0 ? '' : 'refused' }))
      } catch (error) {
        if (error instanceof Broken) bugs.push(error)
        throw error
      } finally {
        fault = kept
      }
    },
  }

  function requireProcess(): AppProcess {
    if (!process) throw new Killed('the process does not run')
    return process
  }

  async function call<Case extends Response['value']['case']>(
    request: requests.RequestInit,
    expected: Case,
  ): Promise<Answer<Case>> {
    const counts = fault && (fault.kind ?? expected) === expected
    const due = counts && fault!.calls-- <= 0 ? fault : undefined
    if (due) fault = undefined
    const end = (): never => {
      const text = `the ${due!.who} ends ${due!.when} ${expected}`
      throw due!.who === 'engine' ? new EngineKilled(text) : new Killed(text)
    }
    if (due?.when === 'before') end()
    if (expected === 'commit') sent = stored
    const found = await requireProcess().call(request)
    const [bug] = bugs
    if (bug !== undefined) throw new Broken(`${name}: ${bug instanceof Error ? bug.stack : String(bug)}`)
    if (due) end()
    if (found.case !== expected) throw new Broken(`${name} answers ${expected} with ${found.case}`)
    return found.value as Answer<Case>
  }

  /** Executes a block, and returns its outcome; version 1.0 knows the app hash only at the commit. */
  async function execute(block: Block): Promise<(hash: Uint8Array) => Outcome> {
    if (dialect === '2.0') {
      const found = await call(requests.finalizeBlock(block), 'finalizeBlock')
      return () => requests.outcomeOf({ ...found, results: found.txResults })
    }
    const begun = await call(requests.beginBlock(block), 'beginBlock')
    const results: Answer<'deliverTx'>[] = []
    const asked = block.txs.map((tx) => ({ case: 'deliverTx' as const, value: { tx } }))
    if (sockets) {
      for (const one of await requireProcess().callAll(asked)) results.push(one.value as Answer<'deliverTx'>)
    } else for (const one of asked) results.push(await call(one, 'deliverTx'))
    const ended = await call({ case: 'endBlock', value: { height: block.header.height } }, 'endBlock')
    const events = [...begun.events, ...ended.events]
    return (appHash) => requests.outcomeOf({ ...ended, results, events, appHash })
  }

  async function apply(block: Block): Promise<void> {
    const of = Number(block.header.height)
    const outcome = await execute(block)
    responses = { of, outcome }
    if (dialect === '2.0') ledger.record(name, of, outcome(block.header.appHash))
    const { data } = await call({ case: 'commit', value: {} }, 'commit')
    answered = of
    safe = hasProposal ? of : Math.max(safe, of - MOST_HELD + 1)
    hasProposal = false
    ledger.record(name, of, outcome(data))
    requireHeight(of)
  }

  function requireHeight(of: number): void {
    const { comet, executor } = requireProcess()
    const { latestHeight, halted } = comet.status()
    const { appHash } = ledger.outcome(of)!
    if (halted) throw new Broken(`${name} has halted at height ${of}: ${halted.reason}`)
    if (latestHeight !== BigInt(of) || !equal(executor.tip().appHash, appHash)) {
      throw new Broken(`${name} is at height ${latestHeight} after block ${of}`)
    }
  }

  async function receive(block: Block): Promise<void> {
    stored = Number(block.header.height)
    await apply(block)
    state = stored
    for (const tx of block.txs) mempool.delete(toKey(sha256(tx)))
  }

  async function handshake(): Promise<void> {
    hasProposal = false
    const { lastBlockHeight, lastBlockAppHash } = await call(requests.info(dialect), 'info')
    const has = Number(lastBlockHeight)
    if (has < safe || has > sent) {
      throw new Broken(`${name} comes back with height ${has} after ${safe} was durable and ${sent} was sent`)
    }
    if (has > stored) throw new Broken(`${name} comes back with height ${has}, and its engine has ${stored}`)
    if (has < answered) say(`${name} has lost the blocks from ${has + 1} to ${answered}, which it held`)
    answered = has
    sent = has
    safe = has
    if (has === stored && state < stored && responses?.of === has) {
      say(`${name} has committed block ${stored}, which its engine does not replay`)
      ledger.record(name, has, responses.outcome(lastBlockAppHash))
    }
    if (has === 0) {
      const { appHash, validators } = await call(requests.initChain(), 'initChain')
      ledger.begin(name, appHash, requests.validatorsOf(validators))
    } else if (!equal(lastBlockAppHash, ledger.outcome(has)!.appHash)) {
      throw new Broken(`${name} comes back with another app hash of height ${has}`)
    }
    for (let next = has + 1; next <= stored; next++) {
      say(`${name} replays block ${next}`)
      await apply(ledger.block(next))
    }
    state = stored
  }

  async function check(txs: readonly Uint8Array[], isRecheck = false): Promise<readonly number[]> {
    const type = isRecheck ? CheckTxType.RECHECK : CheckTxType.NEW
    const asked = txs.map((tx) => ({ case: 'checkTx' as const, value: { tx, type } }))
    const answers: Answer<'checkTx'>[] = []
    if (sockets) for (const one of await requireProcess().callAll(asked)) answers.push(one.value as Answer<'checkTx'>)
    else for (const one of asked) answers.push(await call(one, 'checkTx'))
    return answers.map(({ code, gasWanted, log }, i) => {
      if (gasWanted < 0n) throw new Broken(`${name} answers CheckTx with negative gas`)
      if (code !== 0 && log === '') throw new Broken(`${name} refuses a transaction without saying why`)
      const key = toKey(sha256(txs[i]!))
      if (code === 0) mempool.set(key, txs[i]!)
      else mempool.delete(key)
      return code
    })
  }

  return {
    name,
    dialect,
    disk: () => disk,
    mempool,
    committed: () => answered,
    replaceDisk(next, of) {
      disk = next
      answered = of
      sent = of
      safe = of
    },
    process: () => process,
    isUp: () => isUp,
    stored: () => stored,
    listen(does) {
      listens = does
    },
    arm(next) {
      fault = next
    },
    async start() {
      if (!process) {
        process = await startProcess({ disk, rpc, elapsed, sockets, onBug: (error) => bugs.push(error) })
      }
      await handshake()
      while (stored < ledger.height()) {
        say(`${name} fetches block ${stored + 1}`)
        await receive(ledger.block(stored + 1))
      }
      isUp = true
    },
    receive,
    async prepare(block, maxTxBytes) {
      hasProposal = true
      const request = requests.prepareProposal(block, [...mempool.values()], maxTxBytes, dialect)
      return (await call(request, 'prepareProposal')).txs
    },
    async accepts(block) {
      hasProposal = true
      const { status } = await call(requests.processProposal(block, dialect), 'processProposal')
      if (status !== 1 && status !== 2) throw new Broken(`${name} neither accepts nor rejects a proposal: ${status}`)
      return status === 1
    },
    check,
    async kill(applicationStays = false) {
      isUp = false
      mempool.clear()
      process?.disconnect()
      if (applicationStays) return
      const ended = process
      process = undefined
      await ended?.kill()
    },
    async stop() {
      isUp = false
      mempool.clear()
      const ended = process
      process = undefined
      await ended?.stop()
    },
    forget(to) {
      stored = to
      state = to
      answered = to
      sent = to
      safe = to
    },
  }
}
