/** Contracts of genesis documents, and those of every new chain of a profile. */
import { create } from '@bufbuild/protobuf'
import { type GenesisAccount, GenesisAccountSchema } from '../../../gen/chain/evm/v1/genesis_pb.ts'
import type { Identity } from '../../../identity/types.ts'
import { formatEip55 } from '../../../primitives/address.ts'
import { encodeUint, formatHex, formatHex0x } from '../../../primitives/bytes.ts'
import { SINGLETON_FACTORY_ADDRESS, SINGLETON_FACTORY_CODE } from './singleton-factory.ts'

/** Formats a number as a word of storage, `0x` and 64 digits. */
export const slot = (number: bigint): string => formatHex0x(encodeUint(number, 32))

/** Builds the genesis entry of a contract. `storage` pairs slot numbers with words. */
export function genesisAccount(
  address: Uint8Array,
  code: Uint8Array,
  storage: readonly (readonly [bigint, string])[] = [],
): GenesisAccount {
  return create(GenesisAccountSchema, {
    address: formatEip55(address),
    code: formatHex(code),
    storage: storage.map(([number, value]) => ({ key: slot(number), value })),
  })
}

/** Returns the contracts of the module's default genesis. */
export function defaultAccounts({ behaviours }: Identity): GenesisAccount[] {
  return behaviours.factoryContractAtGenesis ? [genesisAccount(SINGLETON_FACTORY_ADDRESS, SINGLETON_FACTORY_CODE)] : []
}
