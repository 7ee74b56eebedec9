/** Admission steps of the reference for its Wasm contracts. They have no effect here, but every transaction pays their gas. */
import * as devgas from '../../modules/devgas/keeper.ts'
import * as sudo from '../../modules/sudo/keeper.ts'
import { countTransaction } from '../foreign/counter.ts'
import type { AnteContext } from './context.ts'

/** Reads the zero-gas actors, and counts the transaction in store `wasm`; an estimate is not counted. */
export function countInWasm({ ctx, mode }: AnteContext): void {
  if (!ctx.identity.behaviours.wasmAnte) return
  sudo.zeroGasActors(ctx)
  if (mode !== 'simulate') countTransaction(ctx)
}

/** Reads the parameters of fee shares. Wasm contracts, which this build lacks, are the only ones with a share at this step. */
export function readFeeShareParams({ ctx }: AnteContext): void {
  if (ctx.identity.behaviours.wasmAnte) devgas.params(ctx)
}
