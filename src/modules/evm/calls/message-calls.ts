/** Calls of contracts in a message of the chain: each is an EVM transaction without a fee, inside the message's branch. */
import { OUT_OF_GAS } from '../../../evm/errors.ts'
import { createEvm } from '../../../evm/host.ts'
import type { EvmLog } from '../../../evm/state.ts'
import { intrinsicGas } from '../../../evm/transaction/gas.ts'
import { executeMessage } from '../../../evm/transition.ts'
import { EMPTY, equal, ZERO_ADDRESS } from '../../../primitives/bytes.ts'
import type { BranchedContext, Context } from '../../../sdk/context.ts'
import { createInfiniteGasMeter } from '../../../store/gas.ts'
import * as auth from '../../auth/keeper.ts'
import { errors } from '../errors.ts'
import { type ChainEvmState, createEvmState } from '../evm-state.ts'
import { precompilesOf } from '../precompiles/impersonated-signatures.ts'
import { chainRules } from '../rules.ts'
import * as state from '../state.ts'
import { blockEnv } from './block-env.ts'
import { type CallSession, openCallSession } from './call-session.ts'
import { type ContractCall, type ContractCalls, callFailure, raiseNonce } from './contract-calls.ts'
import { createStoreCharges } from './store-charges.ts'

/** Gas limit of the deployment of a coin's ERC-20. */
const DEPLOY_GAS = 2_500_000n
const GAS_OF = 'internal call of the EVM'

export interface MessageCalls extends ContractCalls {
  /** Logs of all calls so far. */
  readonly logs: readonly EvmLog[]
  /** Names the account for which the message calls. The module by default. */
  openFor(account: Uint8Array): void
}

interface Execution {
  readonly branch: BranchedContext
  readonly view: ChainEvmState
  readonly evm: ReturnType<typeof createEvm>
}

/** Creates an EVM on a branch of the message. The EVM charges its own gas, so the branch's meter only counts. */
function openExecution(ctx: Context, origin: Uint8Array, session?: CallSession, to?: Uint8Array): Execution {
  const branch = ctx.branch({ gas: createInfiniteGasMeter() })
  const view = createEvmState(branch)
  const rules = chainRules(branch)
  const evm = createEvm({
    state: view,
    rules,
    block: blockEnv(branch),
    tx: { origin, gasPrice: 0n, blobHashes: [] },
    precompiles: precompilesOf(branch, rules),
    ...(session && { tracer: createStoreCharges(ctx) }),
  })
  session?.begin(evm, origin, to)
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

/**
 * Returns the nonce that a call executes with, which leaves the caller with one more. The module's own nonce rises, so that its
 * deployments have new addresses; a holder's stays, since only its own transactions can raise it.
 */
function nonceBefore(ctx: Context, from: Uint8Array): bigint {
  const nonce = nonceOf(ctx, from)
  const rises = equal(from, state.evmAccount.address) || ctx.identity.behaviours.moduleCallsRaiseNonces
  return rises ? nonce : nonce - 1n
}

/** The gas of one call. */
interface CallGas {
  readonly limit: bigint
  /** Charges the used gas. Throws sdk 11 if the call ended because the message has less gas left than such a call can use. */
  charge(used: bigint, error: string | undefined): void
}

/** Limits a call to the gas that the message has left, so that no work is done that cannot be charged. `most` limits it in any case. */
function limitGas({ gas, identity }: Context, most: bigint): CallGas {
  const left = gas.limit - gas.used
  if (left >= most || identity.behaviours.callsRunBeforeGas) {
    return { limit: most, charge: (used) => gas.consume(used, GAS_OF) }
  }
  return {
    limit: left,
    charge: (used, error) => gas.consume(error?.includes('out of gas') ? left + 1n : used, GAS_OF),
  }
}

/** Returns the gas of a transaction before its code runs. Throws sdk 11, or evm 5 if more gas would not help. */
function requireIntrinsic(message: Parameters<typeof intrinsicGas>[0], { evm }: Execution, gas: CallGas): bigint {
  const intrinsic = intrinsicGas(message, evm.options.rules)
  if (gas.limit >= intrinsic) return intrinsic
  gas.charge(0n, OUT_OF_GAS)
  throw errors.callFailed(`intrinsic gas too low: have ${gas.limit}, want ${intrinsic}`)
}

/** Runs a static call. It changes nothing except the caller's nonce, and that only if `counts`. */
function runStatic(
  ctx: Context,
  { from, to, data, gasLimit }: ContractCall,
  counts: boolean,
  session: CallSession | undefined,
): Uint8Array {
  const execution = openExecution(ctx, from, session, to)
  const { branch, evm, view } = execution
  if (counts) raiseNonce(branch, from)
  const gas = limitGas(ctx, gasLimit)
  const rest = gas.limit - requireIntrinsic({ to, data }, execution, gas)
  const message = { caller: from, to, valueWei: 0n, data, gas: rest, isStatic: true }
  const result = view.whileCalling(() => evm.call(message))
  const used = gas.limit - result.gasLeft
  gas.charge(session ? session.afterRefund(evm, used) : used, result.error)
  if (!result.success) throw callFailure(result, gasLimit)
  session?.end(evm)
  if (counts) branch.merge()
  return result.output
}

/** Returns the output of a static call by the zero address, undefined if it fails. Its only effect is the charged gas. */
export function tryStaticCall(
  ctx: Context,
  to: Uint8Array,
  data: Uint8Array,
  gasLimit: bigint,
): Uint8Array | undefined {
  const { evm, view } = openExecution(ctx, ZERO_ADDRESS)
  const gas = limitGas(ctx, gasLimit)
  const message = { caller: ZERO_ADDRESS, to, valueWei: 0n, data, gas: gas.limit, isStatic: true }
  const { success, output, gasLeft, error } = view.whileCalling(() => evm.call(message))
  gas.charge(gas.limit - gasLeft, error)
  return success ? output : undefined
}

/** Returns a function that runs static calls outside a conversion: no nonce changes. It throws evm 5. */
export function createStaticCalls(ctx: Context, to: Uint8Array, gasLimit: bigint): (data: Uint8Array) => Uint8Array {
  const session = openCallSession(ctx)
  return (data) => runStatic(ctx, { from: state.evmAccount.address, to, data, gasLimit }, false, session)
}

/** Creates the calls of one message. */
export function createMessageCalls(ctx: Context): MessageCalls {
  const logs: EvmLog[] = []
  const session = openCallSession(ctx)
  return {
    ctx,
    logs,
    openFor: (account) => session?.openFor(account),
    call(call) {
      if (call.isStatic) return runStatic(ctx, call, true, session)
      const { from, to, data, gasLimit, valueWei = 0n } = call
      const execution = openExecution(ctx, from, session, to)
      const gas = limitGas(ctx, gasLimit)
      requireIntrinsic({ to, data }, execution, gas)
      const message = { from, to, nonce: nonceBefore(execution.branch, from), gasLimit: gas.limit, valueWei, data }
      const result = execution.view.whileCalling(() => executeMessage(execution.evm, message))
      gas.charge(result.gasUsed, result.error)
      if (!result.success) throw callFailure(result, gasLimit)
      session?.end(execution.evm)
      keep(execution, from)
      for (const log of result.logs) logs.push(log)
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
  const execution = openExecution(ctx, from, openCallSession(ctx))
  const gas = limitGas(ctx, DEPLOY_GAS)
  requireIntrinsic({ to: undefined, data: initCode }, execution, gas)
  const message = { from, to: undefined, nonce: nonceOf(execution.branch, from), gasLimit: gas.limit, valueWei: 0n }
  const result = executeMessage(execution.evm, { ...message, data: initCode })
  gas.charge(result.gasUsed, result.error)
  if (!result.success) throw callFailure({ ...result, output: result.output ?? EMPTY }, DEPLOY_GAS)
  keep(execution, from)
  return { contract: result.contractAddress!, logs: result.logs }
}
