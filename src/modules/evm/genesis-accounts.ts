/** Contracts as a genesis document has them, and those of every new chain of a profile (evm.md §5). */
import { create } from '@bufbuild/protobuf'
import { type GenesisAccount, GenesisAccountSchema } from '../../gen/chain/evm/v1/genesis_pb.ts'
import type { Identity } from '../../identity/types.ts'
import { formatEip55 } from '../../primitives/address.ts'
import { encodeUint, formatHex, formatHex0x } from '../../primitives/bytes.ts'
import { SINGLETON_FACTORY_ADDRESS, SINGLETON_FACTORY_CODE } from './contracts/singleton-factory.ts'

/** A number as a word of storage, in hexadecimal. */
export const slot = (number: bigint): string => formatHex0x(encodeUint(number, 32))

/** A contract with its code, and slots with their words. */
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

/** The contracts of the module's default genesis. */
export function defaultAccounts({ behaviours }: Identity): GenesisAccount[] {
  return behaviours.factoryContractAtGenesis ? [genesisAccount(SINGLETON_FACTORY_ADDRESS, SINGLETON_FACTORY_CODE)] : []
}
