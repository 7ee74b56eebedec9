/** The state of a recording that has only answers, reconstructed from them: accounts, coins, tokens. */
import { create, type JsonValue } from '@bufbuild/protobuf'
import { firstVersions } from '../src/app/first-versions.ts'
import { modules } from '../src/app/modules.ts'
import { createRouter } from '../src/app/router.ts'
import { FunTokenSchema } from '../src/gen/chain/evm/v1/evm_pb.ts'
import { ModuleParamsSchema } from '../src/gen/chain/tokenfactory/v1/state_pb.ts'
import { MetadataSchema } from '../src/gen/sdk/bank/v1beta1/bank_pb.ts'
import * as address from '../src/identity/address.ts'
import { evmChainIdOf } from '../src/identity/identity.ts'
import type { Identity } from '../src/identity/types.ts'
import * as auth from '../src/modules/auth/keeper.ts'
import { setBalance } from '../src/modules/bank/balance.ts'
import * as bank from '../src/modules/bank/keeper.ts'
import { supplies } from '../src/modules/bank/state.ts'
import { genesis as epochs } from '../src/modules/epochs/genesis.ts'
import { insert } from '../src/modules/evm/funtoken/mappings.ts'
import { codes, slots } from '../src/modules/evm/state.ts'
import { parseDenom } from '../src/modules/tokenfactory/denom.ts'
import * as tokenfactory from '../src/modules/tokenfactory/keeper.ts'
import * as upgrade from '../src/modules/upgrade/keeper.ts'
import { parseEvm } from '../src/primitives/address.ts'
import { concat, EMPTY, encodeUint, hex, padLeft, utf8 } from '../src/primitives/bytes.ts'
import { keccak256 } from '../src/primitives/hash.ts'
import type { Context } from '../src/sdk/context.ts'
import { createContext, createTransient } from '../src/sdk/create-context.ts'
import { createEmptyBranch } from '../src/store/branch.ts'
import type { Change } from '../src/store/types.ts'
import type { Recording } from './recording.ts'

interface Body {
  readonly epochs?: JsonValue
  readonly denoms?: readonly string[]
  readonly params?: { readonly denom_creation_gas_consume?: string }
  readonly eth_address?: string
  readonly balance_wei?: string
  readonly code_hash?: string
  readonly nonce?: string
  readonly code?: string | null
  readonly erc20?: {
    readonly address: string
    readonly name: string
    readonly symbol: string
    readonly balance_base: string
  } | null
  readonly fun_token?: { readonly erc20_addr: string; readonly bank_denom: string; readonly is_made_from_coin: boolean }
  readonly balances?: readonly { readonly denom: string; readonly amount: string }[]
  readonly metadatas?: readonly {
    readonly description: string
    readonly denom_units: readonly {
      readonly denom: string
      readonly exponent: number
      readonly aliases: readonly string[]
    }[]
    readonly base: string
    readonly display: string
    readonly name: string
    readonly symbol: string
  }[]
}

/** Storage slots of the usual ERC-20 contract: balances by holder, name, symbol. */
const SLOTS = { balances: 0n, name: 3n, symbol: 4n }

const word = (value: bigint): Uint8Array => encodeUint(value, 32)

/** Encodes a text of up to 31 bytes as Solidity stores it. */
function shortText(text: string): Uint8Array {
  const stored = new Uint8Array(32)
  stored.set(utf8(text))
  stored[31] = text.length * 2
  return stored
}

function writeToken(ctx: Context, holder: Uint8Array, token: NonNullable<Body['erc20']>): void {
  const contract = hex(token.address.slice(2).toLowerCase())
  slots.set(ctx, [contract, word(SLOTS.name)], shortText(token.name))
  slots.set(ctx, [contract, word(SLOTS.symbol)], shortText(token.symbol))
  const amount = BigInt(token.balance_base)
  if (amount === 0n) return
  slots.set(ctx, [contract, keccak256(concat(padLeft(holder, 32), word(SLOTS.balances)))], word(amount))
}

function holderOf(ctx: Context, text: string): Uint8Array | undefined {
  const evm = parseEvm(text)
  if (evm) return evm
  try {
    return address.parse(ctx, text)
  } catch {
    return undefined
  }
}

function write(ctx: Context, path: string, body: Body): void {
  const holder = holderOf(ctx, path.split('?')[0]!.split('/').at(-1)!)
  if (holder && body.balance_wei !== undefined) bank.setBalanceWei(ctx, holder, BigInt(body.balance_wei))
  if (holder && body.erc20) writeToken(ctx, holder, body.erc20)
  if (holder && body.code_hash !== undefined && body.nonce !== '0') {
    const sequence = BigInt(body.nonce ?? 0)
    auth.setAccount(ctx, { ...auth.ensureAccount(ctx, holder), sequence, codeHash: hex(body.code_hash.slice(2)) })
  }
  if (body.code) {
    const code = new Uint8Array(Buffer.from(body.code, 'base64'))
    codes.set(ctx, keccak256(code), code)
  }
  if (body.fun_token) {
    const { erc20_addr, bank_denom, is_made_from_coin } = body.fun_token
    const erc20Addr = hex(erc20_addr.slice(2).toLowerCase())
    insert(ctx, create(FunTokenSchema, { erc20Addr, bankDenom: bank_denom, isMadeFromCoin: is_made_from_coin }))
  }
  if (body.epochs) epochs.init(ctx, { epochs: body.epochs })
  const denomCreationGasConsume = body.params?.denom_creation_gas_consume
  if (denomCreationGasConsume) {
    const params = { denomCreationGasConsume: BigInt(denomCreationGasConsume) }
    tokenfactory.setParams(ctx, create(ModuleParamsSchema, params))
  }
  for (const denom of body.denoms ?? []) tokenfactory.insert(ctx, parseDenom(ctx, denom), undefined)
  for (const { denom, amount } of body.balances ?? []) {
    if (!holder) continue
    setBalance(ctx, holder, denom, BigInt(amount))
    supplies.set(ctx, denom, BigInt(amount))
  }
  for (const { denom_units, ...metadata } of body.metadatas ?? []) {
    const denomUnits = denom_units.map((unit) => ({ ...unit, aliases: [...unit.aliases] }))
    bank.setMetadata(ctx, create(MetadataSchema, { ...metadata, denomUnits }))
  }
}

/** Returns the state that the successful answers show, as the writes of one block, and their height. */
export async function stateOfAnswers(
  recording: Recording,
  identity: Identity,
): Promise<{ readonly height: bigint; readonly changes: readonly Change[] }> {
  const branch = createEmptyBranch()
  const chainId = identity.defaultChainId
  const block = {
    ...{ height: 0n, timeNs: 0n, chainId, evmChainId: evmChainIdOf(identity, chainId), gasLimit: 0n, votes: [] },
    ...{ proposer: EMPTY, hash: EMPTY, lastCommitHash: EMPTY },
  }
  const { facts: app } = createRouter(modules)
  const ctx = createContext({ branch, transient: createTransient(), identity, app, block })
  // Genesis writes the module versions. A recorded answer checks that they are the chain's.
  upgrade.setModuleVersions(ctx, firstVersions(identity, modules))
  let height = 1n
  for await (const { height: answered, path, status, body } of recording.answers()) {
    height = BigInt(answered ?? height)
    if (status === 200) write(ctx, path, JSON.parse(body) as Body)
  }
  return { height, changes: branch.changes() }
}
