/** Calls of contracts in a message of the chain: each is an EVM transaction without a fee, inside the message's branch. */
import { createEvm } from '../../../evm/host.ts'
import type { EvmLog } from '../../../evm/state.ts'
import { intrinsicGas } from '../../../evm/transaction/gas.ts'
import { executeMessage } from '../../../evm/transition.ts'
import { EMPTY, ZERO_ADDRESS } from '../../../primitives/bytes.ts'
import type { BranchedContext, Context } from '../../../sdk/context.ts'
import { createInfiniteGasMeter } from '../../../store/gas.ts'
import * as auth from '../../auth/keeper.ts'
import { errors } from '../errors.ts'
import { type ChainEvmState, createEvmState } from '../evm-state.ts'
import { chainPrecompiles } from '../precompiles/table.ts'
import { chainRules } from '../rules.ts'
import * as state from '../state.ts'
import { blockEnv } from './block-env.ts'
import { type ContractCall, type ContractCalls, callFailure, raiseNonce } from './contract-calls.ts'

/** Gas limit of the deployment of a coin's ERC-20. */
const DEPLOY_GAS = 2_500_000n
const GAS_OF = 'internal call of the EVM'

export interface MessageCalls extends ContractCalls {
  /** Logs of all calls so far. */
  readonly logs: readonly EvmLog[]
}

interface Execution {
  readonly branch: BranchedContext
  readonly view: ChainEvmState
  readonly evm: ReturnType<typeof createEvm>
}

/** Creates an EVM on a branch of the message. The EVM charges its own gas, so the branch's meter only counts. */
function openExecution(ctx: Context, origin: Uint8Array): Execution {
  const branch = ctx.branch({ gas: createInfiniteGasMeter() })
  const view = createEvmState(branch)
  const rules = chainRules(branch)
  const evm = createEvm({
    state: view,
    rules,
    block: blockEnv(branch),
    tx: { origin, gasPrice: 0n, blobHashes: [] },
    precompiles: chainPrecompiles(rules),
  })
  return { branch, view, evm }
}

/** Writes the effects of an execution and merges its branch. */
function keep({ branch, view, evm }: Execution, origin: Uint8Array): void {
  evm.journal.finalise()
  view.settle()
  for (const { address, creator } of evm.journal.creations()) state.creations.set(branch, address, { creator, origin })
  branch.merge()
}

function nonceOf(ctx: Context, address: Uint8Array): bigint {
  return auth.getAccount(ctx, address)?.sequence ?? 0n
}

/** Runs a static call. It changes nothing except the caller's nonce, and that only if `counts`. */
function runStatic(ctx: Context, { from, to, data, gasLimit }: ContractCall, counts: boolean): Uint8Array {
  const execution = openExecution(ctx, from)
  const { branch, evm, view } = execution
  if (counts) raiseNonce(branch, from)
  const intrinsic = intrinsicGas({ to, data }, evm.options.rules)
  if (gasLimit < intrinsic) throw errors.callFailed(`intrinsic gas too low: have ${gasLimit}, want ${intrinsic}`)
  const message = { caller: from, to, valueWei: 0n, data, gas: gasLimit - intrinsic, isStatic: true }
  const result = view.whileCalling(() => evm.call(message))
  ctx.gas.consume(gasLimit - result.gasLeft, GAS_OF)
  if (!result.success) throw callFailure(result, gasLimit)
  if (counts) branch.merge()
  return result.output
}

/** Returns the output of a static call by the zero address, undefined if it fails. Its only effect is the charged gas. */
export function tryStaticCall(ctx: Context, to: Uint8Array, data: Uint8Array, gas: bigint): Uint8Array | undefined {
  const { evm, view } = openExecution(ctx, ZERO_ADDRESS)
  const message = { caller: ZERO_ADDRESS, to, valueWei: 0n, data, gas, isStatic: true }
  const { success, output, gasLeft } = view.whileCalling(() => evm.call(message))
  ctx.gas.consume(gas - gasLeft, GAS_OF)
  return success ? output : undefined
}

/** Runs a static call outside a conversion: no nonce changes. Throws evm 5. */
export function staticCall(ctx: Context, to: Uint8Array, data: Uint8Array, gasLimit: bigint): Uint8Array {
  return runStatic(ctx, { from: state.evmAccount.address, to, data, gasLimit }, false)
}

/** Creates the calls of one message. */
export function createMessageCalls(ctx: Context): MessageCalls {
  const logs: EvmLog[] = []
  return {
    ctx,
    logs,
    call(call) {
      if (call.isStatic) return runStatic(ctx, call, true)
      const { from, to, data, gasLimit, valueWei = 0n } = call
      const execution = openExecution(ctx, from)
      const message = { from, to, nonce: nonceOf(execution.branch, from), gasLimit, valueWei, data }
      const result = execution.view.whileCalling(() => executeMessage(execution.evm, message))
      ctx.gas.consume(result.gasUsed, GAS_OF)
      if (!result.success) throw callFailure(result, gasLimit)
      keep(execution, from)
      logs.push(...result.logs)
      return result.output
    },
  }
}

export interface Deployment {
  readonly contract: Uint8Array
  readonly logs: readonly EvmLog[]
}

/** Deploys a contract that the module owns, at the module account's next address. Throws evm 5. */
export function deploy(ctx: Context, initCode: Uint8Array): Deployment {
  const { address: from } = auth.ensureModuleAccount(ctx, state.evmAccount)
  const execution = openExecution(ctx, from)
  const message = { from, to: undefined, nonce: nonceOf(execution.branch, from), gasLimit: DEPLOY_GAS, valueWei: 0n }
  const result = executeMessage(execution.evm, { ...message, data: initCode })
  ctx.gas.consume(result.gasUsed, GAS_OF)
  if (!result.success) throw callFailure({ ...result, output: result.output ?? EMPTY }, DEPLOY_GAS)
  keep(execution, from)
  return { contract: result.contractAddress!, logs: result.logs }
}
