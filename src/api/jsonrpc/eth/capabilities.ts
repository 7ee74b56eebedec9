/** Capabilities of the node and rules of the chain: `eth_capabilities`, `eth_config`, `eth_syncing`. */

import { crc32 } from 'node:zlib'
import * as evm from '../../../modules/evm/keeper.ts'
import { decodeUint, formatHex0x, fromKey } from '../../../primitives/bytes.ts'
import { NS_PER_SECOND } from '../../../primitives/time.ts'
import type { GatewayNode } from '../../gateway.ts'
import { type JsonObject, quantity } from '../format.ts'

/** Contract that stores the hashes of earlier blocks (EIP-2935). */
const HISTORY_STORAGE = '0x0000f90827f1c53a10cb7a02335b175320002935'

/** Names of precompiles by address: those of EIP-7910, and those of this chain. */
const PRECOMPILE_NAMES: Readonly<Record<number, string>> = {
  1: 'ECREC',
  2: 'SHA256',
  3: 'RIPEMD160',
  4: 'ID',
  5: 'MODEXP',
  6: 'BN254_ADD',
  7: 'BN254_MUL',
  8: 'BN254_PAIRING',
  9: 'BLAKE2F',
  10: 'KZG_POINT_EVALUATION',
  11: 'BLS12_G1ADD',
  12: 'BLS12_G1MSM',
  13: 'BLS12_G2ADD',
  14: 'BLS12_G2MSM',
  15: 'BLS12_PAIRING_CHECK',
  16: 'BLS12_MAP_FP_TO_G1',
  17: 'BLS12_MAP_FP2_TO_G2',
  256: 'P256VERIFY',
  2048: 'FUNTOKEN',
  2049: 'ORACLE',
}

/** Returns the progress of a node that is catching up. */
export function progress({ blocks }: GatewayNode): JsonObject {
  const height = quantity(blocks.latestHeight())
  return { startingBlock: quantity(blocks.earliestHeight()), currentBlock: height, highestBlock: height }
}

/** Returns the blocks for which each kind of data is available. */
export function capabilities({ blocks, settings, withContext }: GatewayNode): JsonObject {
  const latest = blocks.latestHeight()
  const oldest = blocks.earliestHeight()
  const kept = BigInt(settings.keepHeights)
  const stored = withContext(undefined, ({ store }) => store.earliest) ?? oldest
  const first = kept > 0n && latest - kept + 1n > stored ? latest - kept + 1n : stored
  const whole = { disabled: false, oldestBlock: quantity(oldest) }
  const state = {
    disabled: false,
    oldestBlock: quantity(first),
    ...(kept > 0n && { deleteStrategy: { type: 'window', retentionBlocks: quantity(kept) } }),
  }
  return {
    head: { number: quantity(latest), hash: formatHex0x(blocks.header(latest)!.hash) },
    state,
    tx: whole,
    logs: whole,
    receipts: whole,
    blocks: whole,
    stateproofs: state,
  }
}

/** Returns the rules of the chain, which apply from its first block (EIP-7910). */
export function chainConfig(node: GatewayNode): JsonObject {
  const first = node.blocks.header(node.blocks.earliestHeight())!
  const rules = node.withContext(undefined, evm.chainRules)
  const addresses = [...evm.chainPrecompiles(rules).keys()].map(fromKey)
  const forkId = new Uint8Array(4)
  new DataView(forkId.buffer).setUint32(0, crc32(first.hash))
  return {
    current: {
      activationTime: Number(first.header.timeNs / NS_PER_SECOND),
      blobSchedule: { baseFeeUpdateFraction: 0, max: 0, target: 0 },
      chainId: quantity(node.evmChainId),
      forkId: formatHex0x(forkId),
      precompiles: Object.fromEntries(
        addresses.map((at) => [PRECOMPILE_NAMES[Number(decodeUint(at))] ?? formatHex0x(at), formatHex0x(at)]),
      ),
      systemContracts: rules.eips.has(2935) ? { HISTORY_STORAGE_ADDRESS: HISTORY_STORAGE } : {},
    },
    next: null,
    last: null,
  }
}
