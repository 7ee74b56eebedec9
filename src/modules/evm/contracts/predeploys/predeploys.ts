/**
 * Contracts that development chains have at their usual addresses, beside those of every localnet. contracts/predeploys tells
 * where their code is from; that of the beacon roots is in its EIP.
 */
import type { GenesisAccount } from '../../../../gen/chain/evm/v1/genesis_pb.ts'
import { concat, encodeUint, padLeft, utf8 } from '../../../../primitives/bytes.ts'
import { keccak256 } from '../../../../primitives/hash.ts'
import { BEACON_ROOTS_ADDRESS, BEACON_ROOTS_CODE } from '../../beacon-roots.ts'
import { genesisAccount, slot } from '../genesis-account.ts'
import { CREATE_X_ADDRESS, CREATE_X_CODE } from './create-x.ts'
import { ENTRY_POINT_ADDRESS, ENTRY_POINT_CODE } from './entry-point.ts'
import { ERC1820_REGISTRY_ADDRESS, ERC1820_REGISTRY_CODE } from './erc1820-registry.ts'
import { PERMIT2_ADDRESS, PERMIT2_CODE } from './permit2.ts'
import { SENDER_CREATOR_ADDRESS, SENDER_CREATOR_CODE } from './sender-creator.ts'

/** Places in the code of Permit2 that its constructor fills. */
const CHAIN_ID_AT = 6945
const DOMAIN_SEPARATOR_AT = 6983

const DOMAIN_TYPE = keccak256(utf8('EIP712Domain(string name,uint256 chainId,address verifyingContract)'))
const DOMAIN_NAME = keccak256(utf8('Permit2'))

/** Returns the code of Permit2 as its constructor makes it on a chain, with the domain separator of EIP-712. */
export function permit2Code(evmChainId: bigint): Uint8Array {
  const chainId = encodeUint(evmChainId, 32)
  const code = PERMIT2_CODE.slice()
  code.set(chainId, CHAIN_ID_AT)
  code.set(keccak256(concat(DOMAIN_TYPE, DOMAIN_NAME, chainId, padLeft(PERMIT2_ADDRESS, 32))), DOMAIN_SEPARATOR_AT)
  return code
}

/** The slot of the guard against reentrancy in the entry point, whose constructor sets it. */
const ENTRY_POINT_GUARD = 2n

/** Returns the genesis of the contracts on the chain with an EVM chain id. */
export function predeployedAccounts(evmChainId: bigint): GenesisAccount[] {
  return [
    genesisAccount(CREATE_X_ADDRESS, CREATE_X_CODE),
    genesisAccount(PERMIT2_ADDRESS, permit2Code(evmChainId)),
    genesisAccount(ENTRY_POINT_ADDRESS, ENTRY_POINT_CODE, [[ENTRY_POINT_GUARD, slot(1n)]]),
    genesisAccount(SENDER_CREATOR_ADDRESS, SENDER_CREATOR_CODE),
    genesisAccount(ERC1820_REGISTRY_ADDRESS, ERC1820_REGISTRY_CODE),
    genesisAccount(BEACON_ROOTS_ADDRESS, BEACON_ROOTS_CODE),
  ]
}
