/** The block without fees and the calldata of the ray tracer (`Workloads.sol`), for benchmarks of the interpreter. */
import type { EvmBlockEnv } from '../../src/evm/types.ts'
import { concat, encodeUint, hex, utf8 } from '../../src/primitives/bytes.ts'
import { keccak256 } from '../../src/primitives/hash.ts'

/** A gas limit that no workload reaches. */
export const GAS = 1n << 40n

export const CONTRACT = hex('2222222222222222222222222222222222222222')

export const BLOCK: EvmBlockEnv = {
  number: 1n,
  timestamp: 1n,
  coinbase: new Uint8Array(20),
  gasLimit: GAS,
  prevRandao: new Uint8Array(32),
  difficulty: 0n,
  baseFee: 0n,
  blobBaseFee: 1n,
  chainId: 1n,
}

/** Returns the calldata that renders a picture; its size determines the number of steps. */
export const renderData = (width: bigint, height: bigint): Uint8Array =>
  concat(keccak256(utf8('render(uint256,uint256)')).slice(0, 4), encodeUint(width, 32), encodeUint(height, 32))
