/** Calls of contracts in a message of the chain: each is an EVM transaction without fee, inside the message's branch. */
import { createEvm } from '../../../evm/host.ts'
import type { EvmLog } from '../../../evm/state.ts'
import { intrinsicGas } from '../../../evm/transaction/gas.ts'
import { executeMessage } from '../../../evm/transition.ts'
import { EMPTY } from '../../../primitives/bytes.ts'
import type { BranchedContext, Context } from '../../../sdk/context.ts'
import { createInfiniteGasMeter } from '../../../store/gas.ts'
import * as auth from '../../auth/keeper.ts'
import { errors } from '../errors.ts'
import { type ChainEvmState, createEvmState } from '../evm-state.ts'
import { chainPrecompiles } from '../precompiles.ts'
import { chainRules } from '../rules.ts'
import * as state from '../state.ts'
import { blockEnv } from './block-env.ts'
import { type ContractCall, type ContractCalls, callFailure, raiseNonce } from './contract-calls.ts'

/** Most gas of the deployment of a coin's ERC-20. */
const DEPLOY_GAS = 2_500_000n
const GAS_OF = 'internal call of the EVM'

export interface MessageCalls extends ContractCalls {
  /** What all calls so far logged. */
  readonly logs: readonly EvmLog[]
}

interface Ground {
  readonly branch: BranchedContext
  readonly view: ChainEvmState
  readonly evm: ReturnType<typeof createEvm>
}

/** An EVM on a branch of the message. The EVM's gas pays for its accesses, so the branch's meter only counts. */
function openGround(ctx: Context, origin: Uint8Array): Ground {
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

/** Writes what an execution did, and joins its branch. */
function keep({ branch, view, evm }: Ground, origin: Uint8Array): void {
  evm.journal.finalise()
  view.settle()
  for (const { address, creator } of evm.journal.creations()) state.creations.set(branch, address, { creator, origin })
  branch.merge()
}

function nonceOf(ctx: Context, address: Uint8Array): bigint {
  return auth.getAccount(ctx, address)?.sequence ?? 0n
}

/** Asks a contract; nothing but the caller's nonce changes, and that only if `counts`. */
function ask(ctx: Context, { from, to, data, gasLimit }: ContractCall, counts: boolean): Uint8Array {
  const ground = openGround(ctx, from)
  const { branch, evm, view } = ground
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

const NOBODY = new Uint8Array(20)

/** What a contract answers to the zero address, undefined where the call fails; it leaves no trace but its gas. */
export function answerOf(ctx: Context, to: Uint8Array, data: Uint8Array, gas: bigint): Uint8Array | undefined {
  const { evm, view } = openGround(ctx, NOBODY)
  const message = { caller: NOBODY, to, valueWei: 0n, data, gas, isStatic: true }
  const { success, output, gasLeft } = view.whileCalling(() => evm.call(message))
  ctx.gas.consume(gas - gasLeft, GAS_OF)
  return success ? output : undefined
}

/** Asks a contract outside of a conversion: it leaves no trace. Throws evm 5. */
export function askContract(ctx: Context, to: Uint8Array, data: Uint8Array, gasLimit: bigint): Uint8Array {
  return ask(ctx, { from: state.evmAccount.address, to, data, gasLimit }, false)
}

/** Calls in a message. */
export function createMessageCalls(ctx: Context): MessageCalls {
  const logs: EvmLog[] = []
  return {
    ctx,
    logs,
    call(call) {
      if (call.isStatic) return ask(ctx, call, true)
      const { from, to, data, gasLimit, valueWei = 0n } = call
      const ground = openGround(ctx, from)
      const message = { from, to, nonce: nonceOf(ground.branch, from), gasLimit, valueWei, data }
      const result = ground.view.whileCalling(() => executeMessage(ground.evm, message))
      ctx.gas.consume(result.gasUsed, GAS_OF)
      if (!result.success) throw callFailure(result, gasLimit)
      keep(ground, from)
      logs.push(...result.logs)
      return result.output
    },
  }
}

export interface Deployment {
  readonly contract: Uint8Array
  readonly logs: readonly EvmLog[]
}

/** Deploys a contract that the module owns, at the next address of the module. Throws evm 5. */
export function deploy(ctx: Context, initCode: Uint8Array): Deployment {
  const { address: from } = auth.ensureModuleAccount(ctx, state.evmAccount)
  const ground = openGround(ctx, from)
  const message = { from, to: undefined, nonce: nonceOf(ground.branch, from), gasLimit: DEPLOY_GAS, valueWei: 0n }
  const result = executeMessage(ground.evm, { ...message, data: initCode })
  ctx.gas.consume(result.gasUsed, GAS_OF)
  if (!result.success) throw callFailure({ ...result, output: result.output ?? EMPTY }, DEPLOY_GAS)
  keep(ground, from)
  return { contract: result.contractAddress!, logs: result.logs }
}
