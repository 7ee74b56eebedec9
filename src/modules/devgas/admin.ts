/** The administrator of a contract (docs/modules/devgas.md#messages, D12). */
import { createAddress } from '../../evm/contract-address.ts'
import { decodeUint, equal, hex } from '../../primitives/bytes.ts'
import { governance } from '../../sdk/authority.ts'
import type { Context } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import * as evm from '../evm/keeper.ts'

/** Call data of `owner()`, ERC-173. */
const OWNER_CALL = hex('8da5cb5b')
const OWNER_GAS = 100_000n
const NONCE_GAS = 50n
export const MAX_NONCES = 20

/** Returns the address that `owner()` returns; undefined for a failed call, zero, and anything that is not an address. */
export function ownerOf(ctx: Context, contract: Uint8Array): Uint8Array | undefined {
  const answer = evm.tryStaticCall(ctx, contract, OWNER_CALL, OWNER_GAS)
  if (answer?.length !== 32 || decodeUint(answer.subarray(0, 12)) !== 0n) return undefined
  const owner = answer.slice(12)
  return decodeUint(owner) === 0n ? undefined : owner
}

/** Whether creating a contract with each nonce in turn leads from an account to `contract`. Each step costs 50 gas. */
export function provesCreation(
  ctx: Context,
  creator: Uint8Array,
  nonces: readonly bigint[],
  contract: Uint8Array,
): boolean {
  if (nonces.length === 0) return false
  let at = creator
  for (const nonce of nonces) {
    ctx.gas.consume(NONCE_GAS, 'proof of creation')
    at = createAddress(at, nonce)
  }
  return equal(at, contract)
}

/** Whether the owner is governance or a contract, so that no key can sign for it. For `contractsRegisterThemselves`. */
export function isOwnerUnableToSign(ctx: Context, owner: Uint8Array | undefined): boolean {
  return owner !== undefined && (equal(owner, governance) || evm.isContract(ctx, owner))
}

/**
 * Returns the administrator of a contract: its owner if that is an account, else the sender of the transaction that
 * created it; undefined for a contract with neither. `owner` is the result of `ownerOf`.
 */
export function adminOf(ctx: Context, contract: Uint8Array, owner: Uint8Array | undefined): Uint8Array | undefined {
  if (owner && !evm.isContract(ctx, owner)) return owner
  return evm.creation(ctx, contract)?.origin
}

/** Returns sdk 4, in the text of the reference. */
export function notAdmin(text: string) {
  return sdkErrors.unauthorized(`you are not an admin of this contract ${text}`)
}
