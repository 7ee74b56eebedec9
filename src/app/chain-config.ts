/** The part of a chain's identity that its genesis document sets: `chain_config` of the EVM module. */
import type { JsonValue } from '@bufbuild/protobuf'
import { ChainConfigSchema } from '../gen/chain/evm/v1/genesis_pb.ts'
import { createIdentity } from '../identity/identity.ts'
import type { EvmRules, Profile } from '../identity/profiles/profile.ts'
import { errors } from '../sdk/errors.ts'
import { fromJson } from '../sdk/json.ts'
import { modules } from './modules.ts'
import { createRouter } from './router.ts'
import type { GenesisDocument } from './types.ts'

/** Largest EVM chain id: clients read it as a number of JSON. */
export const MAX_EVM_CHAIN_ID = BigInt(Number.MAX_SAFE_INTEGER)
/** Largest code size that the interpreter can limit, since init code can have twice the size. Unit: bytes. */
export const MAX_CODE_SIZE_LIMIT = 2 ** 31 - 1

/**
 * Returns the profile of a chain with the EVM chain id and the EVM rules of its genesis document. Throws sdk 17 or sdk 18 with
 * the wrong field.
 */
export function withChainConfig(profile: Profile, { chain_id: id, app_state }: GenesisDocument): Profile {
  const section = app_state['evm'] as { readonly [name: string]: JsonValue } | undefined
  const json = section?.['chain_config'] ?? section?.['chainConfig']
  if (json === undefined || json === null) return profile
  const { chainId, codeSizeLimit, allowUnprotectedTxs, noTxGasLimit } = fromJson(
    { identity: createIdentity(profile), app: createRouter(modules).facts },
    ChainConfigSchema,
    json,
    'evm.chain_config',
  )
  if (chainId > MAX_EVM_CHAIN_ID) {
    throw errors.invalidRequest(`evm.chain_config.chain_id ${chainId} is above ${MAX_EVM_CHAIN_ID}`)
  }
  if (codeSizeLimit > MAX_CODE_SIZE_LIMIT) {
    throw errors.invalidRequest(`evm.chain_config.code_size_limit ${codeSizeLimit} is above ${MAX_CODE_SIZE_LIMIT}`)
  }
  const evm: EvmRules = {
    ...(codeSizeLimit > 0 && { codeSizeLimit }),
    ...(allowUnprotectedTxs && { allowsUnprotected: true }),
    ...(noTxGasLimit && { hasNoTxGasLimit: true }),
  }
  return {
    ...profile,
    ...(chainId > 0n && { evmChainIds: { ...profile.evmChainIds, [id]: chainId } }),
    ...(Object.keys(evm).length > 0 && { evm }),
  }
}
