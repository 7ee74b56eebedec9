/** Genesis of a development chain: the defaults, and the contracts that tools expect. */
import { create, type JsonValue } from '@bufbuild/protobuf'
import { type GenesisAccount, GenesisStateSchema } from '../../../gen/chain/evm/v1/genesis_pb.ts'
import type { EvmRules } from '../../../identity/profiles/profile.ts'
import type { Identity } from '../../../identity/types.ts'
import { formatHex0x, utf8 } from '../../../primitives/bytes.ts'
import { type JsonNames, toJson } from '../../../sdk/json.ts'
import { HISTORY_ADDRESS, HISTORY_CODE } from '../block-hashes.ts'
import { CREATE2_DEPLOYER_ADDRESS, CREATE2_DEPLOYER_CODE } from '../contracts/create2-deployer.ts'
import { defaultAccounts, genesisAccount, slot } from '../contracts/genesis-account.ts'
import { MULTICALL3_ADDRESS, MULTICALL3_CODE } from '../contracts/multicall3.ts'
import { predeployedAccounts } from '../contracts/predeploys/predeploys.ts'
import { WRAPPED_NATIVE_CODE } from '../contracts/wrapped-native.ts'
import { CANONICAL_WNATIVE, defaultParams } from '../params.ts'

const DECIMALS = 18n

/** Choices of a localnet for its EVM. */
interface LocalnetConfig extends EvmRules {
  readonly fork?: string
  readonly chainId?: bigint
  /** EVM chain id for which the chain has the known contracts of `predeployedAccounts`; without it, it lacks them. */
  readonly predeploysFor?: bigint
}

/** Encodes a text of less than 32 bytes as Solidity stores it: the bytes, and twice their number in the last byte. */
function shortText(text: string): string {
  const word = new Uint8Array(32)
  const bytes = utf8(text)
  word.set(bytes)
  word[31] = bytes.length * 2
  return formatHex0x(word)
}

/** The history contract of EIP-2935. */
const historyAccount: GenesisAccount = genesisAccount(HISTORY_ADDRESS, HISTORY_CODE)

/** Returns the wrapped native coin at the canonical address. */
function wrappedNative({ wrappedNativeName, wrappedNativeSymbol }: Identity): GenesisAccount {
  return genesisAccount(CANONICAL_WNATIVE, WRAPPED_NATIVE_CODE, [
    [0n, shortText(wrappedNativeName)],
    [1n, shortText(wrappedNativeSymbol)],
    [2n, slot(DECIMALS)],
  ])
}

/**
 * Returns the module's genesis of a development chain: the contracts of the profile, the wrapped native coin, Multicall3, the
 * CREATE2 deployer and the history contract, and the predeploys. `config.fork` is a name from `Berlin` to `Osaka`; the newest by default.
 */
export function localnetGenesis(names: JsonNames, config: LocalnetConfig = {}): JsonValue {
  const { predeploysFor, allowsUnprotected, hasNoTxGasLimit, ...same } = config
  const accounts = [
    ...defaultAccounts(names.identity),
    wrappedNative(names.identity),
    genesisAccount(MULTICALL3_ADDRESS, MULTICALL3_CODE),
    genesisAccount(CREATE2_DEPLOYER_ADDRESS, CREATE2_DEPLOYER_CODE),
    historyAccount,
    ...(predeploysFor === undefined ? [] : predeployedAccounts(predeploysFor)),
  ]
  const chainConfig = {
    ...same,
    ...(allowsUnprotected && { allowUnprotectedTxs: true }),
    ...(hasNoTxGasLimit && { noTxGasLimit: true }),
  }
  return toJson(
    names,
    GenesisStateSchema,
    create(GenesisStateSchema, {
      accounts,
      params: defaultParams(),
      ...(Object.keys(chainConfig).length > 0 && { chainConfig }),
    }),
  )
}
