/** What the reference does in admission for contracts of its other machine, and what every transaction pays for. */
import * as devgas from '../../modules/devgas/keeper.ts'
import * as sudo from '../../modules/sudo/keeper.ts'
import { countTransaction } from '../foreign/counter.ts'
import type { AnteContext } from './context.ts'

/** Looks whether the sender is exempt from fees, and counts the transaction, but not in an estimate. */
export function admitAtOtherMachine({ ctx, mode }: AnteContext): void {
  if (!ctx.identity.behaviours.otherMachineAdmission) return
  sudo.zeroGasActors(ctx)
  if (mode !== 'simulate') countTransaction(ctx)
}

/** Looks which share of the fee those who wrote the contracts get: none here. */
export function lookAtShares({ ctx }: AnteContext): void {
  if (ctx.identity.behaviours.otherMachineAdmission) devgas.params(ctx)
}
