/** Runs the public state tests and returns the results, without comparing them with the expected ones. */
import { formatHex0x } from '../../primitives/bytes.ts'
import { keccak256 } from '../../primitives/hash.ts'
import { encode } from '../../primitives/rlp.ts'
import { type ForkName, parseFork, rulesOf } from '../forks.ts'
import { createJournal } from '../journal/journal.ts'
import { standardPrecompiles } from '../precompiles/index.ts'
import type { EvmLog } from '../state.ts'
import { refusalName } from '../transaction/errors.ts'
import { executeTransaction } from '../transition.ts'
import type { Precompiles } from '../types.ts'
import { draftPrecompiles, isFilledUnderDraft } from './draft-bls.ts'
import { type Fixture, openPreState, parseBlock, parseVariant } from './fixture.ts'

/** The result of one entry of a test: a line of `almanac statetest`. */
export interface StateTestResult {
  readonly name: string
  /** The name of the fork, spelled as in the file. */
  readonly fork: string
  /** The index among the entries of the fork. */
  readonly index: number
  /** The root of the trie of all accounts, `0x` and 64 digits. */
  readonly stateRoot: string
  /** Keccak-256 of the RLP of all logs, `0x` and 64 digits. */
  readonly logsHash: string
  /** Hexadecimal quantity; 0 when refused. */
  readonly gasUsed: string
  /** The reason for refusing the transaction; absent if it was executed. */
  readonly error?: string
}

const rules = new Map<ForkName, ReturnType<typeof rulesOf>>()

function rulesOnce(fork: ForkName): ReturnType<typeof rulesOf> {
  const known = rules.get(fork) ?? rulesOf(fork)
  rules.set(fork, known)
  return known
}

/** Returns the results of all entries of a fork, by any of its names, in order. */
export function* runFixture(fixture: Fixture, fork: ForkName): Generator<StateTestResult> {
  for (const [forkName, entries] of Object.entries(fixture.post)) {
    if (parseFork(forkName) !== fork) continue
    for (const index of entries.keys())
      yield { name: fixture.name, fork: forkName, index, ...runEntry(fixture, forkName, index, fork) }
  }
}

function runEntry(
  fixture: Fixture,
  forkName: string,
  index: number,
  fork: ForkName,
): Omit<StateTestResult, 'name' | 'fork' | 'index'> {
  const active = rulesOnce(fork)
  const block = parseBlock(fixture.env, fixture.config, active)
  const state = openPreState(fixture.pre)
  let logs: readonly EvmLog[] = []
  let gasUsed = 0n
  let refusal: string | undefined
  try {
    const entry = fixture.post[forkName]![index]!
    const { transaction, sender } = parseVariant(fixture, entry, block.chainId, !active.eips.has(2))
    const result = executeTransaction(state, transaction, sender, {
      rules: active,
      block,
      precompiles: precompilesFor(fixture, fork),
      optimiseAtCall: 1,
    })
    gasUsed = result.gasUsed
    logs = result.logs
  } catch (error) {
    if (!refusalName(error)) throw error
    refusal = (error as Error).message
    // The tests pay the miner a reward of zero, which shows whether empty accounts are deleted.
    const journal = createJournal(state, active)
    journal.addBalance(block.coinbase, 0n)
    journal.finalise()
  }
  return {
    stateRoot: formatHex0x(state.root()),
    logsHash: formatHex0x(hashLogs(logs)),
    gasUsed: `0x${gasUsed.toString(16)}`,
    ...(refusal === undefined ? {} : { error: refusal }),
  }
}

function precompilesFor({ filledBy }: Fixture, fork: ForkName): Precompiles {
  return fork === 'Prague' && isFilledUnderDraft(filledBy)
    ? draftPrecompiles(standardPrecompiles(rulesOnce('Cancun')))
    : standardPrecompiles(rulesOnce(fork))
}

function hashLogs(logs: readonly EvmLog[]): Uint8Array {
  return keccak256(encode(logs.map(({ address, topics, data }) => [address, topics, data])))
}
