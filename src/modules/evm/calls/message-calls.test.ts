import { expect, test } from 'vitest'
import { type BehaviourName, behavioursOf } from '../../../identity/behaviours.ts'
import { almanac } from '../../../identity/profiles/almanac.ts'
import { EMPTY, hex } from '../../../primitives/bytes.ts'
import { ChainError } from '../../../primitives/errors.ts'
import { keccak256 } from '../../../primitives/hash.ts'
import type { Context } from '../../../sdk/context.ts'
import { testContext } from '../../../sdk/testing.ts'
import { createGasMeter } from '../../../store/gas.ts'
import { auth as authModule } from '../../auth/index.ts'
import * as auth from '../../auth/keeper.ts'
import { localnetGenesis } from '../development/localnet.ts'
import { evm } from '../index.ts'
import * as state from '../state.ts'
import { type ContractCall, EXECUTE_GAS } from './contract-calls.ts'
import { createMessageCalls, deploy, tryStaticCall } from './message-calls.ts'

const TARGET = new Uint8Array(20).fill(0xc0)
/** JUMPDEST, PUSH0, JUMP: uses all gas. */
const ENDLESS = '5b5f56'
/** PUSH0, PUSH0, REVERT. */
const REVERTING = '5f5ffd'
/** 21,000 of a transaction, PUSH1 and PUSH0, and an SSTORE of a new slot: 21,000 + 5 + 22,100. */
const WRITING = '60015f5500'
const WRITING_GAS = 43_105n

function chain(code: string, behaviours: readonly BehaviourName[] = []): Context {
  const identity = { ...almanac, behaviours: behavioursOf(behaviours) }
  const ctx = testContext({ identity, modules: [authModule, evm], block: { gasLimit: 60_000_000n } })
  evm.genesis!.init(ctx, localnetGenesis(ctx))
  const bytes = hex(code)
  state.codes.set(ctx, keccak256(bytes), bytes)
  auth.setAccount(ctx, { ...auth.ensureAccount(ctx, TARGET), codeHash: keccak256(bytes), sequence: 1n })
  return ctx
}

const call: ContractCall = { from: state.evmAccount.address, to: TARGET, data: EMPTY, gasLimit: EXECUTE_GAS }

/** Runs something in a message with so much gas. Returns the used gas and the error. */
function within(ctx: Context, gas: bigint, run: (message: Context) => void) {
  const meter = createGasMeter(gas)
  try {
    run(ctx.withGas(meter))
    return { used: meter.used, error: undefined }
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    return { used: meter.used, error: `${error.codespace} ${error.code}` }
  }
}

test('a call in a message does no more work than the message has gas left', () => {
  const kinds: readonly ((message: Context) => void)[] = [
    (message) => createMessageCalls(message).call(call),
    (message) => createMessageCalls(message).call({ ...call, isStatic: true }),
    (message) => tryStaticCall(message, TARGET, EMPTY, EXECUTE_GAS),
  ]
  for (const run of kinds) {
    expect(within(chain(ENDLESS), 60_000n, run)).toEqual({ used: 60_001n, error: 'sdk 11' })
    expect(within(chain(ENDLESS), 1_000n, run)).toEqual({ used: 1_001n, error: 'sdk 11' })
  }
  const creates = (message: Context) => deploy(message, hex(ENDLESS))
  // The first access, to the module account, is charged before.
  expect(within(chain(ENDLESS), 300_000n, creates)).toEqual({ used: 300_001n, error: 'sdk 11' })
})

test('a call in a message with enough gas costs what it uses, and one that needs more than a call can have fails as such', () => {
  const run = (message: Context) => createMessageCalls(message).call(call)
  expect(within(chain(WRITING), 5_000_000n, run)).toEqual({ used: WRITING_GAS, error: undefined })
  expect(within(chain(WRITING), WRITING_GAS, run)).toEqual({ used: WRITING_GAS, error: undefined })
  expect(within(chain(WRITING), WRITING_GAS - 1n, run)).toEqual({ used: WRITING_GAS, error: 'sdk 11' })
  expect(within(chain(ENDLESS), 5_000_000n, run)).toEqual({ used: EXECUTE_GAS, error: 'evm 5' })
  expect(within(chain(ENDLESS), EXECUTE_GAS, run)).toEqual({ used: EXECUTE_GAS, error: 'evm 5' })
})

test('a call that reverts with little gas left reports that it reverted, and is charged', () => {
  const run = (message: Context) => createMessageCalls(message).call(call)
  expect(within(chain(REVERTING), 30_000n, run)).toEqual({ used: 21_004n, error: 'evm 5' })
})

test('under the behaviour callsRunBeforeGas a call runs with its full limit and is charged afterwards', () => {
  const run = (message: Context) => createMessageCalls(message).call(call)
  expect(within(chain(ENDLESS, ['callsRunBeforeGas']), 60_000n, run)).toEqual({ used: EXECUTE_GAS, error: 'sdk 11' })
})
