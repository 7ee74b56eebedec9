/** Methods of development chains that change accounts and block fields, without a block (ADR 0006). */
import { gzipSync } from 'node:zlib'
import * as evm from '../../../modules/evm/keeper.ts'
import { concat, formatHex0x, utf8 } from '../../../primitives/bytes.ts'
import { MAX_WORD } from '../../../primitives/integers.ts'
import type { GatewayNode } from '../../gateway.ts'
import { invalidParams } from '../errors.ts'
import { type Methods, mainMethod, readArgument } from '../method.ts'
import { address, boolean, bytes, json, optional, storageKey } from '../params.ts'
import { dumpState } from './state/dump-state.ts'
import { loadState } from './state/load-state.ts'
import { count, developmentOf, word } from './verbs.ts'

/** Returns a signature whose last byte is 27 or 28, as the EVM takes it, also if it was 0 or 1. */
function withV(signature: Uint8Array): Uint8Array {
  const v = signature[64]!
  return concat(signature.subarray(0, 64), Uint8Array.of(v < 27 ? v + 27 : v))
}

async function amend(node: GatewayNode, ...amendments: readonly evm.Amendment[]): Promise<void> {
  await developmentOf(node).amend(amendments)
}

/** Returns the state of the chain, compressed, as anvil answers it. */
async function packedState(node: GatewayNode, keepsStates: boolean): Promise<string> {
  return formatHex0x(gzipSync(utf8(JSON.stringify(await dumpState(node, keepsStates)))))
}

/** Methods by name without prefix. */
export const accountVerbs: Methods = {
  setBalance: mainMethod([address, count], ({ node }, at, wei) => amend(node, { kind: 'balance', address: at, wei })),
  addBalance: mainMethod([address, count], ({ node }, at, wei) => {
    const before = node.withContext(undefined, (ctx) => evm.balanceWei(ctx, at))
    // As in anvil the sum ends at the largest balance.
    return amend(node, { kind: 'balance', address: at, wei: before + wei > MAX_WORD ? MAX_WORD : before + wei })
  }),
  setCode: mainMethod([address, bytes], ({ node }, at, code) => amend(node, { kind: 'code', address: at, code })),
  setNonce: mainMethod([address, count], ({ node }, at, nonce) => amend(node, { kind: 'nonce', address: at, nonce })),
  setStorageAt: mainMethod([address, storageKey, word], async ({ node }, at, slot, value) => {
    await amend(node, { kind: 'storage', address: at, slot, value })
    return true
  }),
  // Names of Ganache.
  setAccountBalance: mainMethod([address, count], ({ node }, at, wei) =>
    amend(node, { kind: 'balance', address: at, wei }),
  ),
  setAccountCode: mainMethod([address, bytes], ({ node }, at, code) =>
    amend(node, { kind: 'code', address: at, code }),
  ),
  setAccountNonce: mainMethod([address, count], ({ node }, at, nonce) =>
    amend(node, { kind: 'nonce', address: at, nonce }),
  ),
  setAccountStorageAt: mainMethod([address, storageKey, word], ({ node }, at, slot, value) =>
    amend(node, { kind: 'storage', address: at, slot, value }),
  ),
  impersonateAccount: mainMethod([address], ({ node }, at) =>
    amend(node, { kind: 'impersonate', address: at, on: true }),
  ),
  stopImpersonatingAccount: mainMethod([address], ({ node }, at) =>
    amend(node, { kind: 'impersonate', address: at, on: false }),
  ),
  // anvil takes both in one list.
  impersonateSignature: mainMethod([json, optional(json, undefined)], ({ node }, first, second) => {
    const [signature, at] = Array.isArray(first)
      ? [readArgument(bytes, first[0], 0), readArgument(address, first[1], 1)]
      : [readArgument(bytes, first, 0), readArgument(address, second, 1)]
    if (signature.length !== 65) throw invalidParams(`signature has ${signature.length} bytes, not 65: r, s and v`)
    return amend(node, { kind: 'signature', signature: withV(signature), address: at })
  }),
  autoImpersonateAccount: mainMethod([boolean], ({ node }, on) => amend(node, { kind: 'impersonate', on })),
  setNextBlockBaseFeePerGas: mainMethod([count], ({ node }, wei) => amend(node, { kind: 'baseFee', wei })),
  setCoinbase: mainMethod([address], ({ node }, at) => amend(node, { kind: 'coinbase', address: at })),
  setPrevRandao: mainMethod([word], ({ node }, value) => amend(node, { kind: 'prevRandao', value })),
  setBlockGasLimit: mainMethod([count], async ({ node }, gas) => {
    await amend(node, { kind: 'blockGasLimit', gas })
    return true
  }),
  dumpState: mainMethod([optional(boolean, false)], ({ node }, keepsStates) => packedState(node, keepsStates)),
  loadState: mainMethod([bytes], async ({ node }, packed) => {
    await loadState(node, packed)
    return true
  }),
}
