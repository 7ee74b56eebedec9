/** Transfers to accounts without code, which need no EVM. They are the most frequent transactions of most chains. */
import { BALANCE_OVERFLOW } from '../../evm/errors.ts'
import type { Rules } from '../../evm/forks.ts'
import { floorGas } from '../../evm/transaction/gas.ts'
import type { MessageResult } from '../../evm/transition.ts'
import type { Precompiles } from '../../evm/types.ts'
import * as auth from '../../modules/auth/keeper.ts'
import * as bank from '../../modules/bank/keeper.ts'
import { EMPTY, equal, toKey } from '../../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../primitives/hash.ts'
import { MAX_WORD } from '../../primitives/integers.ts'
import type { Context } from '../../sdk/context.ts'
import type { EthereumTx } from './envelope.ts'

/** Whether the transaction runs no code: its target has no code and is not a precompile. */
export function isPlainTransfer(ctx: Context, { transaction: tx }: EthereumTx, precompiles: Precompiles): boolean {
  if (!tx.to || tx.type === 4 || precompiles.has(toKey(tx.to))) return false
  const account = auth.getAccount(ctx, tx.to)
  return !account || equal(account.codeHash, EMPTY_CODE_HASH)
}

/** Executes a plain transfer without an EVM, with the same result: it uses its intrinsic gas and transfers the value. */
export function transfer(
  ctx: Context,
  { transaction: tx, from }: EthereumTx,
  rules: Rules,
  intrinsicGas: bigint,
): MessageResult {
  const floor = floorGas(tx, rules)
  const gasUsed = intrinsicGas > floor ? intrinsicGas : floor
  const spent = { output: EMPTY, gasUsed, gasUsedBeforeRefund: intrinsicGas, logs: [] }
  if (tx.valueWei > 0n) {
    const exceeds = bank.balanceWei(ctx, tx.to!) + tx.valueWei > MAX_WORD && !equal(tx.to!, from)
    const error = exceeds ? BALANCE_OVERFLOW : (bank.weiRefusal(ctx) ?? bank.recipientRefusal(ctx, tx.to!))
    if (error !== undefined) return { success: false, error, ...spent }
    // Admission has checked that the sender's unlocked wei cover fee and value.
    bank.subWei(ctx, from, tx.valueWei)
    bank.addWei(ctx, tx.to!, tx.valueWei)
    auth.ensureAccount(ctx, tx.to!)
  }
  return { success: true, ...spent }
}
