/** chain.devgas.v1.Msg */
import {
  EventCancelDevGasSchema,
  EventRegisterDevGasSchema,
  EventUpdateDevGasSchema,
} from '../../gen/chain/devgas/v1/devgas_pb.ts'
import {
  Msg,
  MsgCancelFeeShareSchema,
  MsgRegisterFeeShareSchema,
  MsgUpdateFeeShareSchema,
  MsgUpdateParamsSchema,
} from '../../gen/chain/devgas/v1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { decodeUint, equal } from '../../primitives/bytes.ts'
import { ChainError } from '../../primitives/errors.ts'
import { governance, requireGovernance } from '../../sdk/authority.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { defineMessages, validation } from '../../sdk/module.ts'
import * as evm from '../evm/keeper.ts'
import { adminOf, isOwnerUnableToSign, MAX_NONCES, notAdmin, ownerOf, provesCreation } from './admin.ts'
import { errors } from './errors.ts'
import * as devgas from './keeper.ts'
import { defaultParams, validateParams } from './params.ts'
import * as state from './state.ts'

/** Parses the address of a contract. Throws sdk 7. */
function parseContract(ctx: ReadContext, text: string): Uint8Array {
  const bytes = address.parse(ctx, text)
  if (bytes.length !== 20)
    throw sdkErrors.invalidAddress(`a contract address has 20 bytes, ${text} has ${bytes.length}`)
  if (decodeUint(bytes) === 0n) throw sdkErrors.invalidAddress('the zero address is not a contract')
  return bytes
}

/** Parses the address of a withdrawer; an empty text means the deployer. Throws devgas 6. */
function parseWithdrawer(ctx: ReadContext, text: string, deployer: Uint8Array): Uint8Array {
  if (text === '') return deployer
  try {
    return devgas.parseAccount(ctx, text)
  } catch (error) {
    if (error instanceof ChainError) throw errors.invalidWithdrawer(error.message)
    throw error
  }
}

/** Throws devgas 6 for an account that cannot receive transfers. */
function requireUnblocked(ctx: ReadContext, withdrawer: Uint8Array): void {
  if (!ctx.app.isBlocked(withdrawer)) return
  throw errors.invalidWithdrawer(`${address.format(ctx, withdrawer)} is not allowed to receive funds`)
}

function requireEnabled(ctx: ReadContext): void {
  if (!devgas.params(ctx).enableFeeShare) throw errors.disabled()
}

function requireRegistered(ctx: ReadContext, contract: Uint8Array): devgas.FeeShare {
  const share = devgas.feeShare(ctx, contract)
  if (!share) throw errors.notRegistered(`contract ${address.format(ctx, contract)}`)
  return share
}

/**
 * Throws sdk 4 unless the sender is the administrator of a registered contract. A contract with neither owner nor creation
 * record is administrated by the deployer who proved its creation.
 */
function requireAdmin(ctx: Context, contract: Uint8Array, sender: Uint8Array, share: devgas.FeeShare): void {
  const owner = ownerOf(ctx, contract)
  const admin = adminOf(ctx, contract, owner) ?? devgas.parseShare(ctx, share).deployer
  if (!equal(admin, sender)) throw notAdmin(address.format(ctx, contract))
}

export const validations = [
  validation(MsgRegisterFeeShareSchema, (ctx, { contractAddress, deployerAddress, withdrawerAddress, nonces }) => {
    const deployer = devgas.parseAccount(ctx, deployerAddress)
    parseContract(ctx, contractAddress)
    parseWithdrawer(ctx, withdrawerAddress, deployer)
    if (nonces.length > MAX_NONCES) {
      throw sdkErrors.invalidRequest(`a proof of creation has at most ${MAX_NONCES} nonces, got ${nonces.length}`)
    }
  }),
  validation(MsgUpdateFeeShareSchema, (ctx, { contractAddress, deployerAddress, withdrawerAddress }) => {
    const deployer = devgas.parseAccount(ctx, deployerAddress)
    parseContract(ctx, contractAddress)
    parseWithdrawer(ctx, withdrawerAddress, deployer)
  }),
  validation(MsgCancelFeeShareSchema, (ctx, { contractAddress, deployerAddress }) => {
    devgas.parseAccount(ctx, deployerAddress)
    parseContract(ctx, contractAddress)
  }),
  validation(MsgUpdateParamsSchema, (ctx, { authority }) => void address.parse(ctx, authority)),
]

export const messages = defineMessages(Msg, {
  /** Registers a contract: from now on a share of the fees of its calls goes to the withdrawer. */
  registerFeeShare(ctx, { contractAddress, deployerAddress, withdrawerAddress, nonces }) {
    const sender = devgas.parseAccount(ctx, deployerAddress)
    const contract = parseContract(ctx, contractAddress)
    const text = address.format(ctx, contract)
    let withdrawer = parseWithdrawer(ctx, withdrawerAddress, sender)
    let deployer = sender
    requireEnabled(ctx)
    if (devgas.feeShare(ctx, contract)) throw errors.alreadyRegistered(`contract is already registered ${text}`)
    if (!evm.isContract(ctx, contract)) throw errors.notDeployed(`no code at ${text}`)
    if (evm.isContract(ctx, sender)) throw notAdmin(text)
    const owner = ownerOf(ctx, contract)
    if (ctx.identity.behaviours.contractsRegisterThemselves && isOwnerUnableToSign(ctx, owner)) {
      if (!equal(withdrawer, contract))
        throw errors.invalidWithdrawer(`withdrawer must be the contract itself, ${text}`)
      deployer = contract
      withdrawer = contract
    } else {
      const admin = adminOf(ctx, contract, owner)
      const isAdmin = admin ? equal(admin, sender) : provesCreation(ctx, sender, nonces, contract)
      if (!isAdmin) throw notAdmin(text)
    }
    requireUnblocked(ctx, withdrawer)
    devgas.setShare(ctx, { contract, deployer, withdrawer })
    ctx.emit(EventRegisterDevGasSchema, {
      deployer: address.format(ctx, deployer),
      contract: text,
      withdrawer: address.format(ctx, withdrawer),
    })
    return {}
  },

  /** Changes the withdrawer, and makes the current administrator the deployer. */
  updateFeeShare(ctx, { contractAddress, deployerAddress, withdrawerAddress }) {
    const deployer = devgas.parseAccount(ctx, deployerAddress)
    const contract = parseContract(ctx, contractAddress)
    requireEnabled(ctx)
    const share = requireRegistered(ctx, contract)
    const withdrawer = parseWithdrawer(ctx, withdrawerAddress, deployer)
    requireUnblocked(ctx, withdrawer)
    const text = address.format(ctx, withdrawer)
    if (equal(devgas.parseShare(ctx, share).withdrawer, withdrawer)) {
      throw errors.alreadyRegistered(`feeshare with withdraw address ${text} is already registered`)
    }
    requireAdmin(ctx, contract, deployer, share)
    devgas.setShare(ctx, { contract, deployer, withdrawer })
    ctx.emit(EventUpdateDevGasSchema, {
      deployer: address.format(ctx, deployer),
      contract: address.format(ctx, contract),
      withdrawer: text,
    })
    return {}
  },

  /** Removes a registration. Senders: the administrator, governance, or the deployer if the contract no longer exists. */
  cancelFeeShare(ctx, { contractAddress, deployerAddress }) {
    const sender = devgas.parseAccount(ctx, deployerAddress)
    const contract = parseContract(ctx, contractAddress)
    requireEnabled(ctx)
    const share = requireRegistered(ctx, contract)
    const isDeployerOfRemovedContract =
      !evm.isContract(ctx, contract) && equal(devgas.parseShare(ctx, share).deployer, sender)
    if (!isDeployerOfRemovedContract && !equal(sender, governance)) requireAdmin(ctx, contract, sender, share)
    devgas.removeShare(ctx, contract)
    const { deployer } = devgas.parseShare(ctx, share)
    ctx.emit(EventCancelDevGasSchema, {
      deployer: address.format(ctx, deployer),
      contract: address.format(ctx, contract),
    })
    return {}
  },

  /** Replaces the parameters. Stored records do not change. */
  updateParams(ctx, { authority, params = defaultParams() }) {
    requireGovernance(ctx, authority)
    validateParams(params)
    state.params.set(ctx, params)
    return {}
  },
})
