/** Genesis: contracts with code and storage, parameters, mappings, fork, creators (docs/modules/evm.md#state). */
import { create, type JsonValue, type MessageInitShape } from '@bufbuild/protobuf'
import { parseFork } from '../../evm/forks.ts'
import { type FunToken, FunTokenSchema, type Params } from '../../gen/chain/evm/v1/evm_pb.ts'
import {
  ChainConfigSchema,
  type ContractCreation,
  ContractCreationSchema,
  type GenesisAccount,
  GenesisAccountSchema,
  GenesisStateSchema,
} from '../../gen/chain/evm/v1/genesis_pb.ts'
import { formatEip55, parseEvm } from '../../primitives/address.ts'
import { equal, formatHex, formatHex0x, parseHex, toKey } from '../../primitives/bytes.ts'
import { isValid } from '../../primitives/denom.ts'
import { EMPTY_CODE_HASH, keccak256 } from '../../primitives/hash.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { withErrorPath } from '../../sdk/error-path.ts'
import { errors } from '../../sdk/errors.ts'
import { fromJson, toJson } from '../../sdk/json.ts'
import type { GenesisHandlers } from '../../sdk/module.ts'
import * as auth from '../auth/keeper.ts'
import { defaultAccounts } from './contracts/genesis-account.ts'
import { byContract, byDenom, insert } from './funtoken/mappings.ts'
import * as evm from './keeper.ts'
import { defaultParams, validateParams } from './params.ts'
import { CHAIN_FORKS, chainFork, defaultFork } from './rules.ts'
import * as state from './state.ts'

function word(text: string, what: string): Uint8Array {
  const bytes = parseHex(text)
  if (bytes?.length !== 32) throw errors.invalidRequest(`${what} ${JSON.stringify(text)} is not 32 bytes`)
  return bytes
}

/** Stores the code and storage of a contract. Its account in `auth` must have the same code hash; a missing account is created. */
function initAccount(ctx: Context, { address, code: codeText, storage }: GenesisAccount): Uint8Array {
  const at = parseEvm(address)
  if (!at) throw errors.invalidRequest(`genesis account ${JSON.stringify(address)} is not an address`)
  const code = parseHex(codeText)
  if (!code) throw errors.invalidRequest(`code of genesis account ${address} is not hexadecimal`)
  const codeHash = code.length === 0 ? EMPTY_CODE_HASH : keccak256(code)
  const known = auth.getAccount(ctx, at)
  const isOfContract = code.length > 0 && known?.kind !== 'eth'
  if (known && (isOfContract || !equal(known.codeHash, codeHash))) {
    throw errors.invalidRequest(
      `account ${address} of auth is of kind ${known.kind} with code hash ${formatHex0x(known.codeHash)}, its code has ${formatHex0x(codeHash)}`,
    )
  }
  if (!known) auth.setAccount(ctx, { ...auth.newAccount(ctx, at), sequence: code.length > 0 ? 1n : 0n, codeHash })
  if (code.length > 0) state.codes.set(ctx, codeHash, code)
  const seen = new Set<string>()
  for (const { key, value } of storage) {
    const slot = word(key, 'storage key')
    if (seen.has(toKey(slot))) throw errors.invalidRequest(`duplicate storage key ${key} of ${address}`)
    seen.add(toKey(slot))
    ctx.store.set(state.EVM_STORE, state.slotKey(at, slot), word(value, 'storage value'))
  }
  return at
}

function initMapping(ctx: Context, mapping: FunToken): void {
  const { erc20Addr, bankDenom } = mapping
  if (!isValid(bankDenom)) throw errors.invalidRequest(`invalid denom of a mapping: ${bankDenom}`)
  if (bankDenom === ctx.identity.baseDenom)
    throw errors.invalidRequest(`the base denom ${bankDenom} always has its mapping, and cannot have another`)
  if (erc20Addr.length !== 20) throw errors.invalidRequest(`the contract of ${bankDenom} is not an address`)
  for (const known of [byDenom(ctx, bankDenom), byContract(ctx, erc20Addr)]) {
    if (known) throw errors.invalidRequest(`${formatEip55(known.erc20Addr)} is already mapped to ${known.bankDenom}`)
  }
  insert(ctx, create(FunTokenSchema, mapping))
}

function initParams(ctx: Context, params: Params | undefined): void {
  const chosen = params ?? defaultParams()
  validateParams(chosen)
  state.params.set(ctx, chosen)
}

function exportAccounts(ctx: ReadContext): GenesisAccount[] {
  const exported: GenesisAccount[] = []
  for (const { address, codeHash } of auth.accounts(ctx)) {
    const storage = [...state.slots.iterate(ctx, { prefix: address })].map(([[, slot], value]) => ({
      key: formatHex0x(slot),
      value: formatHex0x(value),
    }))
    // An account whose delegation was cleared has storage and no code (EIP-7702).
    if (equal(codeHash, EMPTY_CODE_HASH) && storage.length === 0) continue
    const code = formatHex(state.codes.get(ctx, codeHash) ?? new Uint8Array(0))
    exported.push(create(GenesisAccountSchema, { address: formatEip55(address), code, storage }))
  }
  return exported
}

function initCreation(ctx: Context, { contract, creator, origin }: ContractCreation): void {
  const [at, by, sender] = [contract, creator, origin].map((text) => parseEvm(text))
  if (!at || !by || !sender) throw errors.invalidRequest('contract, creator and origin must be addresses')
  state.creations.set(ctx, at, { creator: by, origin: sender })
}

function exportCreations(ctx: ReadContext): ContractCreation[] {
  return [...state.creations.iterate(ctx)].map(([contract, { creator, origin }]) =>
    create(ContractCreationSchema, {
      contract: formatEip55(contract),
      creator: formatEip55(creator),
      origin: formatEip55(origin),
    }),
  )
}

/** Returns the part of `chain_config` that the identity of the chain has. */
function configOf({ identity, block }: ReadContext): MessageInitShape<typeof ChainConfigSchema> {
  const { codeSizeLimit = 0, allowsUnprotected = false, hasNoTxGasLimit = false } = identity.evm ?? {}
  return {
    // The profile has an entry for the chain id only if it is a real chain's, or if genesis sets it.
    chainId: identity.evmChainIds[block.chainId] ?? 0n,
    codeSizeLimit,
    allowUnprotectedTxs: allowsUnprotected,
    noTxGasLimit: hasNoTxGasLimit,
  }
}

/** Genesis handlers. Under the profile of a real chain an export has only the fields of that chain's documents. */
export const genesis: GenesisHandlers = {
  defaults: (ctx) =>
    toJson(
      ctx,
      GenesisStateSchema,
      create(GenesisStateSchema, { params: defaultParams(), accounts: defaultAccounts(ctx.identity) }),
    ),
  init(ctx, json) {
    const { accounts, params, funtokenMappings, chainConfig, creations } = fromJson(
      ctx,
      GenesisStateSchema,
      json,
      'evm',
    )
    initParams(ctx, params)
    const name = chainConfig?.fork || defaultFork(ctx)
    const fork = parseFork(name)
    if (!fork || !CHAIN_FORKS.includes(fork)) {
      throw errors.invalidRequest(`fork ${JSON.stringify(name)} is not one of ${CHAIN_FORKS.join(', ')}`)
    }
    state.fork.set(ctx, fork)
    auth.ensureModuleAccount(ctx, state.evmAccount)
    const seen = new Set<string>()
    for (const [i, account] of accounts.entries()) {
      const at = toKey(withErrorPath(`accounts[${i}]`, () => initAccount(ctx, account)))
      if (seen.has(at)) throw errors.invalidRequest(`duplicate genesis account ${account.address}`)
      seen.add(at)
    }
    for (const [i, mapping] of funtokenMappings.entries()) {
      withErrorPath(`funtoken_mappings[${i}]`, () => initMapping(ctx, mapping))
    }
    for (const [i, creation] of creations.entries()) withErrorPath(`creations[${i}]`, () => initCreation(ctx, creation))
  },
  export(ctx) {
    const exported = toJson(
      ctx,
      GenesisStateSchema,
      create(GenesisStateSchema, {
        accounts: exportAccounts(ctx),
        params: evm.params(ctx),
        funtokenMappings: [...state.funTokens.iterate(ctx)].map(([, mapping]) => mapping),
        chainConfig: create(ChainConfigSchema, { fork: chainFork(ctx), ...configOf(ctx) }),
        creations: exportCreations(ctx),
      }),
    ) as { [name: string]: JsonValue }
    if (!ctx.identity.behaviours.ownStoreOutsideAppHash) return exported
    const { chain_config: _fork, creations: _creations, ...original } = exported
    return original
  },
}
