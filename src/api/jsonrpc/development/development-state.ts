/** Methods of development chains that change accounts and block fields, without a block (ADR 0006). */
import { gunzipSync, gzipSync } from 'node:zlib'
import * as evm from '../../../modules/evm/keeper.ts'
import { EMPTY, formatHex0x, formatUtf8, parseHex, utf8 } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'
import { parseRequestJson } from '../../../primitives/request-json.ts'
import type { GatewayNode } from '../../gateway.ts'
import { quantity } from '../format.ts'
import { type Methods, mainMethod } from '../method.ts'
import { address, boolean, bytes, storageKey } from '../params.ts'
import { count, developmentOf, word } from './verbs.ts'

/** Size of a loaded state, decompressed (development). Beyond: an error. */
const MAX_STATE_BYTES = 256 * 1024 * 1024

async function amend(node: GatewayNode, ...amendments: readonly evm.Amendment[]): Promise<void> {
  await developmentOf(node).amend(amendments)
}

/** Returns the accounts of the chain, in a form that anvil reads too. */
function dumpState(node: GatewayNode): string {
  const accounts = node.withContext(undefined, (ctx) =>
    Object.fromEntries(
      Array.from(evm.dumpAccounts(ctx), ({ address: at, nonce, balanceWei, code, storage }) => [
        formatHex0x(at),
        {
          nonce: Number(nonce),
          balance: quantity(balanceWei),
          code: formatHex0x(code),
          storage: Object.fromEntries(storage.map(([slot, value]) => [formatHex0x(slot), formatHex0x(value)])),
        },
      ]),
    ),
  )
  return formatHex0x(gzipSync(utf8(JSON.stringify({ accounts }))))
}

interface SavedAccount {
  readonly nonce?: number | string
  readonly balance?: string
  readonly code?: string
  readonly storage?: Readonly<Record<string, string>>
}

function readState(packed: Uint8Array): readonly evm.AccountDump[] {
  let accounts: unknown
  try {
    const plain = packed[0] === 0x1f ? gunzipSync(packed, { maxOutputLength: MAX_STATE_BYTES }) : packed
    ;({ accounts } = parseRequestJson(formatUtf8(plain)) as { accounts?: unknown })
  } catch {
    throw queryError('invalidArgument', 'state is not an output of dumpState')
  }
  if (typeof accounts !== 'object' || accounts === null)
    throw queryError('invalidArgument', 'state has no field `accounts`')
  return Object.entries(accounts as Readonly<Record<string, SavedAccount | null>>).map(([at, saved]) => ({
    address: address.read(at),
    nonce: count.read(saved?.nonce ?? 0),
    balanceWei: count.read(saved?.balance ?? '0x0'),
    code: saved?.code === undefined ? EMPTY : readCode(saved.code),
    storage: Object.entries(saved?.storage ?? {}).map(([slot, value]) => [word.read(slot), word.read(value)] as const),
  }))
}

function readCode(text: string): Uint8Array {
  const code = parseHex(text)
  if (!code) throw queryError('invalidArgument', 'code of an account is not hexadecimal')
  return code
}

async function loadState(node: GatewayNode, packed: Uint8Array): Promise<true> {
  const dumps = readState(packed)
  const amendments = node.withContext(undefined, (ctx) => dumps.flatMap((dump) => [...evm.amendmentsOf(ctx, dump)]))
  await amend(node, ...amendments)
  return true
}

/** Methods by name without prefix. */
export const accountVerbs: Methods = {
  setBalance: mainMethod([address, count], ({ node }, at, wei) => amend(node, { kind: 'balance', address: at, wei })),
  addBalance: mainMethod([address, count], ({ node }, at, wei) => {
    const before = node.withContext(undefined, (ctx) => evm.balanceWei(ctx, at))
    return amend(node, { kind: 'balance', address: at, wei: before + wei })
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
  autoImpersonateAccount: mainMethod([boolean], ({ node }, on) => amend(node, { kind: 'impersonate', on })),
  setNextBlockBaseFeePerGas: mainMethod([count], ({ node }, wei) => amend(node, { kind: 'baseFee', wei })),
  setCoinbase: mainMethod([address], ({ node }, at) => amend(node, { kind: 'coinbase', address: at })),
  setPrevRandao: mainMethod([word], ({ node }, value) => amend(node, { kind: 'prevRandao', value })),
  setBlockGasLimit: mainMethod([count], async ({ node }, gas) => {
    await amend(node, { kind: 'blockGasLimit', gas })
    return true
  }),
  dumpState: mainMethod([], ({ node }) => dumpState(node)),
  loadState: mainMethod([bytes], ({ node }, packed) => loadState(node, packed)),
}
