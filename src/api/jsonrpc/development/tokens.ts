/** Balances and allowances of ERC-20 tokens on development chains: written into the slot that the token reads. */
import type { AccountOverride, CallArgs } from '../../../modules/evm/calls/call-args.ts'
import { concat, decodeUint, encodeUint, hex, padLeft } from '../../../primitives/bytes.ts'
import { ChainError } from '../../../primitives/errors.ts'
import { serverError } from '../errors.ts'
import { createAccessList, ethCall } from '../eth/calls.ts'
import { type Methods, mainMethod, type RpcCall } from '../method.ts'
import { address, type BlockRef } from '../params.ts'
import { count, developmentOf } from './verbs.ts'

/** Slots of a token that are tried for a balance or an allowance. Beyond: an error. */
const MAX_TRIED = 64

const LATEST: BlockRef = { tag: 'latest' }
const WORD = 1n << 256n
/** Selectors of `balanceOf(address)` and `allowance(address,address)`. */
const BALANCE_OF = hex('0x70a08231')
const ALLOWANCE = hex('0xdd62ed3e')

interface Slot {
  readonly address: Uint8Array
  readonly slot: Uint8Array
}

const callOf = (to: Uint8Array, data: Uint8Array): CallArgs => ({
  from: undefined,
  to,
  gas: undefined,
  gasPriceWei: undefined,
  maxFeePerGasWei: undefined,
  maxPriorityFeePerGasWei: undefined,
  valueWei: undefined,
  nonce: undefined,
  data,
  input: undefined,
  accessList: undefined,
  authorizations: undefined,
  chainId: undefined,
  blobs: false,
})

/** Returns the slots that a call reads, with the accounts that they belong to. */
async function slotsRead(call: RpcCall, args: CallArgs): Promise<readonly Slot[]> {
  const { accessList } = (await createAccessList(call, args, LATEST)) as {
    readonly accessList: readonly { readonly address: string; readonly storageKeys: readonly string[] }[]
  }
  return accessList.flatMap(({ address: at, storageKeys }) =>
    storageKeys.map((slot) => ({ address: hex(at), slot: hex(slot) })),
  )
}

/** Returns the number that a call answers if a slot has a value; undefined if it fails or answers something else. */
async function answerWith(call: RpcCall, args: CallArgs, { address: at, slot }: Slot, value: bigint) {
  const override: AccountOverride = {
    address: at,
    nonce: undefined,
    code: undefined,
    balanceWei: undefined,
    state: undefined,
    stateDiff: [{ slot, value: encodeUint(value, 32) }],
    movePrecompileTo: undefined,
  }
  try {
    const output = await ethCall(call, args, LATEST, [override])
    return typeof output === 'string' && output.length === 66 ? decodeUint(hex(output)) : undefined
  } catch (error) {
    if (error instanceof ChainError) return undefined
    throw error
  }
}

/** Writes a number into the slot whose value the call answers, unchanged. Throws -32000 if the token has no such slot. */
async function writeAnswer(call: RpcCall, args: CallArgs, value: bigint, what: string): Promise<void> {
  const slots = await slotsRead(call, args)
  if (slots.length > MAX_TRIED) {
    throw serverError(`the token reads ${slots.length} slots, of which at most ${MAX_TRIED} are tried`)
  }
  for (const slot of slots) {
    // The second value excludes slots on which the answer does not depend.
    const probe = (value + 1n) % WORD
    if ((await answerWith(call, args, slot, probe)) !== probe) continue
    if ((await answerWith(call, args, slot, value)) !== value) continue
    await developmentOf(call.node).amend([{ kind: 'storage', ...slot, value: encodeUint(value, 32) }])
    return
  }
  throw serverError(`Unable to set ERC20 ${what}, no slot found`)
}

const dealERC20 = mainMethod([address, address, count], (call, holder, token, amount) =>
  writeAnswer(call, callOf(token, concat(BALANCE_OF, padLeft(holder, 32))), amount, 'balance'),
)

/** Methods by name without prefix. The supply of a token stays as it is, as in anvil. */
export const tokenVerbs: Methods = {
  dealERC20,
  setERC20Balance: dealERC20,
  setERC20Allowance: mainMethod([address, address, address, count], (call, owner, spender, token, amount) =>
    writeAnswer(call, callOf(token, concat(ALLOWANCE, padLeft(owner, 32), padLeft(spender, 32))), amount, 'allowance'),
  ),
}
