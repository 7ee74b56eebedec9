/** Ethereum transactions in the pool and in simulations (docs/modules/evm.md#admission). */
import { feeCapOf, tipCapOf } from '../../evm/transaction/types.ts'
import * as evm from '../../modules/evm/keeper.ts'
import { EMPTY, toKey } from '../../primitives/bytes.ts'
import type { Context } from '../../sdk/context.ts'
import type { DecodedTx } from '../../sdk/tx.ts'
import type { AdmissionSettings } from '../transaction.ts'
import type { CheckMode, CheckResult, TakePassed } from '../types.ts'
import { type Admitted, admit, emitAdmission } from './admission.ts'
import { type EthereumTx, ethereumTxOf, gasWanted } from './envelope.ts'
import { execute } from './execute.ts'
import { chainErrorOf } from './refusal.ts'

/**
 * Checks a transaction on a branch of the pool's state; the branch is merged if the transaction passes and `take` accepts it.
 * A simulation runs to the end, and its branch is dropped. Expected failures are results.
 */
export function checkEthereumTx(
  pool: Context,
  tx: DecodedTx,
  mode: CheckMode,
  settings: AdmissionSettings,
  take?: TakePassed,
): CheckResult {
  try {
    const found = ethereumTxOf(pool, tx)
    const branch = pool.branch()
    const admitted = admit(branch, found, evm.chainRules(pool), mode, settings.minGasPrices)
    if (mode === 'simulate') return simulate(branch, tx, found, admitted)
    const result = passed(tx, found, admitted)
    take?.(result)
    branch.merge()
    return result
  } catch (error) {
    return failed(tx, error)
  }
}

function passed(
  { heldBytes }: DecodedTx,
  { transaction, from, hash, raw }: EthereumTx,
  admitted: Admitted,
): CheckResult {
  return {
    code: 0,
    codespace: '',
    log: '',
    data: EMPTY,
    gasWanted: transaction.gasLimit,
    gasUsed: admitted.intrinsicGas,
    events: [],
    order: {
      sender: toKey(from),
      nonce: transaction.nonce,
      priority: admitted.priority,
      stateNonce: admitted.stateNonce,
      feeCapWei: feeCapOf(transaction),
      tipCapWei: tipCapOf(transaction),
      payer: toKey(from),
      costWei: admitted.costWei,
      spendableWei: admitted.spendableWei,
      heldBytes,
    },
    evm: { hash, raw, from, nonce: transaction.nonce },
  }
}

function failed(tx: DecodedTx, error: unknown): CheckResult {
  const { code, codespace, message } = chainErrorOf(error)
  return {
    code,
    codespace,
    log: message,
    data: EMPTY,
    gasWanted: gasWanted(tx),
    gasUsed: 0n,
    events: [],
    error: error as Error,
  }
}

function simulate(branch: Context, tx: DecodedTx, found: EthereumTx, admitted: Admitted): CheckResult {
  emitAdmission(branch, found, admitted)
  const { data, gasUsed } = execute(branch, tx, found, evm.chainRules(branch), admitted, 0)
  return {
    code: 0,
    codespace: '',
    log: '',
    data,
    gasWanted: found.transaction.gasLimit,
    gasUsed,
    events: [...branch.events],
  }
}
