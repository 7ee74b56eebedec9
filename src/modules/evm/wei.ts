/** Units of the native coin (docs/modules/evm.md#formulas). */
import { WEI_PER_UNIT } from '../bank/keeper.ts'

/** Base fee of every block unless a development chain sets another: one unit of the base denom for a unit of gas. Unit: wei. */
export const BASE_FEE_WEI: bigint = WEI_PER_UNIT
