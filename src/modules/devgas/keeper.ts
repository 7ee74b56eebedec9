/** Fee-share records and their indexes. */
import type { ModuleParams } from '../../gen/chain/devgas/v1/devgas_pb.ts'
import * as address from '../../identity/address.ts'
import { parseEvm } from '../../primitives/address.ts'
import { ChainError } from '../../primitives/errors.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import * as evm from '../evm/keeper.ts'
import { defaultParams } from './params.ts'
import * as state from './state.ts'

/** A record in its stored form: three Bech32 texts. */
export interface FeeShare {
  readonly contractAddress: string
  readonly deployerAddress: string
  readonly withdrawerAddress: string
}

/** A record with addresses as bytes. */
export interface Share {
  readonly contract: Uint8Array
  readonly deployer: Uint8Array
  readonly withdrawer: Uint8Array
}

export function params(ctx: ReadContext): ModuleParams {
  return state.params.get(ctx) ?? defaultParams()
}

/** Returns the record of a contract; undefined for a contract that is not registered. */
export function feeShare(ctx: ReadContext, contract: Uint8Array): FeeShare | undefined {
  return state.feeShares.get(ctx, contract)
}

/** Parses the addresses of a record. Throws sdk 7. */
export function parseShare(ctx: ReadContext, share: FeeShare): Share {
  return {
    contract: parseAccount(ctx, share.contractAddress),
    deployer: parseAccount(ctx, share.deployerAddress),
    withdrawer: parseAccount(ctx, share.withdrawerAddress),
  }
}

/** Stores a record and both index entries. Removes the index entries of the previous record first. */
export function setShare(ctx: Context, { contract, deployer, withdrawer }: Share): void {
  removeIndexes(ctx, contract)
  state.byDeployer.add(ctx, [deployer, contract])
  state.byWithdrawer.add(ctx, [withdrawer, contract])
  state.feeShares.set(ctx, contract, {
    contractAddress: address.format(ctx, contract),
    deployerAddress: address.format(ctx, deployer),
    withdrawerAddress: address.format(ctx, withdrawer),
  })
}

/** Removes a record and both index entries. */
export function removeShare(ctx: Context, contract: Uint8Array): void {
  removeIndexes(ctx, contract)
  state.feeShares.delete(ctx, contract)
}

function removeIndexes(ctx: Context, contract: Uint8Array): void {
  const known = feeShare(ctx, contract)
  if (!known) return
  const { deployer, withdrawer } = parseShare(ctx, known)
  state.byDeployer.delete(ctx, [deployer, contract])
  state.byWithdrawer.delete(ctx, [withdrawer, contract])
}

const ACCOUNT_LENGTHS: readonly number[] = [20, 32]

/** Parses an account address of 20 or 32 bytes. Throws sdk 7. */
export function parseAccount(ctx: ReadContext, text: string): Uint8Array {
  const bytes = address.parse(ctx, text)
  if (!ACCOUNT_LENGTHS.includes(bytes.length)) {
    throw sdkErrors.invalidAddress(`an account address has 20 or 32 bytes, ${text} has ${bytes.length}`)
  }
  return bytes
}

/** Parses an address of a query: an account text, or `0x` and hexadecimal digits. Throws sdk 7. */
export function parseQueried(ctx: ReadContext, text: string): Uint8Array {
  return (text.startsWith('0x') ? parseEvm(text) : undefined) ?? parseAccount(ctx, text)
}

/** The three operations on `fee_shares/{address}`, as `?by=` names them. */
export type ShareRole = 'contract' | 'deployer' | 'withdrawer'

/** Returns the operation that answers for an address without `?by=` (docs/modules/devgas.md#queries). */
export function operationOf(ctx: ReadContext, text: string): ShareRole {
  let asked: Uint8Array
  try {
    asked = parseQueried(ctx, text)
  } catch (error) {
    if (error instanceof ChainError) return 'deployer'
    throw error
  }
  if (state.feeShares.has(ctx, asked)) return 'contract'
  if (!state.byDeployer.iterate(ctx, { prefix: asked }).next().done) return 'deployer'
  if (!state.byWithdrawer.iterate(ctx, { prefix: asked }).next().done) return 'withdrawer'
  return asked.length === 20 && evm.isContract(ctx, asked) ? 'contract' : 'deployer'
}
