/** Random programs on the state of the chain, with precompiles that use it: flushing and reloading for them changes no result. */
import { expect, test } from 'vitest'
import { rulesOf } from '../../src/evm/forks.ts'
import { createEvm } from '../../src/evm/host.ts'
import { standardPrecompiles } from '../../src/evm/precompiles/index.ts'
import type { Precompile, PrecompileContext, PurePrecompile } from '../../src/evm/types.ts'
import { auth as authModule } from '../../src/modules/auth/index.ts'
import * as auth from '../../src/modules/auth/keeper.ts'
import * as bank from '../../src/modules/bank/keeper.ts'
import { blockEnv } from '../../src/modules/evm/calls/block-env.ts'
import { type ChainEvmState, createEvmState } from '../../src/modules/evm/evm-state.ts'
import { evm as evmModule } from '../../src/modules/evm/index.ts'
import { EMPTY, encodeUint, formatHex, toKey } from '../../src/primitives/bytes.ts'
import { keccak256 } from '../../src/primitives/hash.ts'
import { testContext } from '../../src/sdk/testing.ts'
import { CALLER, type Program, programOf } from '../support/evm/programs.ts'

const RULES = rulesOf('Osaka')
const STANDARD = standardPrecompiles(RULES)
const keyOf = (address: number): string => toKey(encodeUint(BigInt(address), 20))
const IDENTITY = STANDARD.get(keyOf(4)) as PurePrecompile

/** Runs a program and describes its result and the contents of every store, including account numbers. */
function run(
  program: Program,
  precompiles: ReadonlyMap<string, Precompile>,
  over = (state: ChainEvmState) => state,
): readonly string[] {
  const ctx = testContext({ modules: [authModule, evmModule], block: { height: 1000n } })
  const place = createEvmState(ctx)
  auth.ensureAccount(ctx, CALLER)
  bank.addWei(ctx, CALLER, 10n ** 18n)
  for (const { address, code, balanceWei } of program.contracts) {
    bank.addWei(ctx, address, balanceWei)
    place.setCode(keccak256(code), code)
    place.setAccount(address, { nonce: 1n, balanceWei, codeHash: keccak256(code) })
    for (let i = 1; i < program.presetSlots; i++) {
      place.setStorage(address, encodeUint(BigInt(i), 32), encodeUint(BigInt(i), 32))
    }
  }
  const state = createEvmState(ctx)
  const evm = createEvm({
    state: over(state),
    rules: RULES,
    block: blockEnv(ctx),
    tx: { origin: CALLER, gasPrice: 10n, blobHashes: [] },
    precompiles,
  })
  const { to, valueWei, data, gas } = program
  evm.journal.setNonce(CALLER, 1n)
  const { success, gasLeft, output, error } = to
    ? evm.call({ caller: CALLER, to, valueWei, data, gas })
    : evm.create({ caller: CALLER, valueWei, initCode: data, gas, nonce: 0n })
  const logs = evm.journal.logs().map((log) => `${formatHex(log.address)} ${log.topics.length} ${formatHex(log.data)}`)
  evm.journal.finalise()
  state.settle()
  const stored = ctx.branchStore
    .changes()
    .map(({ store, key, value }) => `${store} ${formatHex(key)} ${value && formatHex(value)}`)
  return [`${success} ${error} ${gas - gasLeft} ${formatHex(output)}`, ...logs, ...stored]
}

test('a pure precompile has the same result when it runs as a stateful one', () => {
  const stateful = {
    kind: 'stateful',
    run: ({ input }: PrecompileContext) => ({ success: true, gasUsed: IDENTITY.gas(input), output: input }),
  } as const
  const table = new Map<string, Precompile>([...STANDARD, [keyOf(4), stateful]])
  for (let seed = 0; seed < 400; seed++) {
    const program = programOf(seed)
    expect(run(program, table), `seed ${seed}`).toEqual(run(program, STANDARD))
  }
})

/** Creates a precompile that moves wei outside the EVM and calls a contract, depending on its input; it fails for some inputs. */
function meddle({ input, caller, gas, isStatic, state, call }: PrecompileContext) {
  const choice = input.reduce((sum, byte) => sum + byte, input.length)
  const target = encodeUint(0xa000000000000000000000000000000000000001n + BigInt(choice % 4), 20)
  const { context } = state as ChainEvmState
  if (!isStatic && bank.balanceWei(context(), caller) > 3n) {
    bank.subWei(context(), caller, 3n)
    bank.addWei(context(), choice % 3 === 0 ? encodeUint(BigInt(choice), 20) : target, 3n)
  }
  if (choice % 2 === 0 || gas < 20_000n) return { success: choice % 5 !== 0, gasUsed: 100n, output: EMPTY }
  const { success, gasLeft, output } = call({ caller, to: target, valueWei: 0n, data: input, gas: 10_000n, isStatic })
  if (!isStatic && bank.balanceWei(context(), target) > 1n) {
    bank.subWei(context(), target, 1n)
    bank.addWei(context(), caller, 1n)
  }
  return { success: success || choice % 7 === 0, gasUsed: 10_100n - gasLeft, output }
}

test('reloading the accounts written in a branch is equivalent to reloading all accounts', () => {
  const table = new Map<string, Precompile>(STANDARD)
  for (const at of [1, 2, 3, 4]) table.set(keyOf(at), { kind: 'stateful', run: meddle })
  const readsAll = ({ changedAccounts: _, ...state }: ChainEvmState): ChainEvmState => state
  for (let seed = 0; seed < 400; seed++) {
    const program = programOf(seed)
    expect(run(program, table), `seed ${seed}`).toEqual(run(program, table, readsAll))
  }
})
