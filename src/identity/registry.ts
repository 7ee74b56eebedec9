/** Every proto file of the API in one place, in neutral names: types, services, methods. */
import {
  createRegistry,
  type DescFile,
  type DescMessage,
  type DescMethod,
  type DescService,
  type Registry,
} from '@bufbuild/protobuf'
import { DurationSchema, EmptySchema, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { file_almanac_options } from '../gen/almanac/options_pb.ts'
import { file_amino_amino } from '../gen/amino/amino_pb.ts'
import { file_chain_crypto_v1_ethsecp256k1_keys } from '../gen/chain/crypto/v1/ethsecp256k1/keys_pb.ts'
import { file_chain_devgas_v1_devgas } from '../gen/chain/devgas/v1/devgas_pb.ts'
import { file_chain_devgas_v1_query } from '../gen/chain/devgas/v1/query_pb.ts'
import { file_chain_devgas_v1_tx } from '../gen/chain/devgas/v1/tx_pb.ts'
import { file_chain_epochs_v1beta1_epochs } from '../gen/chain/epochs/v1beta1/epochs_pb.ts'
import { file_chain_epochs_v1beta1_query } from '../gen/chain/epochs/v1beta1/query_pb.ts'
import { file_chain_errors_v1_errors } from '../gen/chain/errors/v1/errors_pb.ts'
import { file_chain_evm_v1_events } from '../gen/chain/evm/v1/events_pb.ts'
import { file_chain_evm_v1_evm } from '../gen/chain/evm/v1/evm_pb.ts'
import { file_chain_evm_v1_genesis } from '../gen/chain/evm/v1/genesis_pb.ts'
import { file_chain_evm_v1_query } from '../gen/chain/evm/v1/query_pb.ts'
import { file_chain_evm_v1_tx } from '../gen/chain/evm/v1/tx_pb.ts'
import { file_chain_inflation_v1_inflation } from '../gen/chain/inflation/v1/inflation_pb.ts'
import { file_chain_inflation_v1_query } from '../gen/chain/inflation/v1/query_pb.ts'
import { file_chain_inflation_v1_tx } from '../gen/chain/inflation/v1/tx_pb.ts'
import { file_chain_oracle_v1beta1_event } from '../gen/chain/oracle/v1beta1/event_pb.ts'
import { file_chain_oracle_v1beta1_genesis } from '../gen/chain/oracle/v1beta1/genesis_pb.ts'
import { file_chain_oracle_v1beta1_oracle } from '../gen/chain/oracle/v1beta1/oracle_pb.ts'
import { file_chain_oracle_v1beta1_query } from '../gen/chain/oracle/v1beta1/query_pb.ts'
import { file_chain_oracle_v1beta1_tx } from '../gen/chain/oracle/v1beta1/tx_pb.ts'
import { file_chain_sudo_v1_event } from '../gen/chain/sudo/v1/event_pb.ts'
import { file_chain_sudo_v1_query } from '../gen/chain/sudo/v1/query_pb.ts'
import { file_chain_sudo_v1_state } from '../gen/chain/sudo/v1/state_pb.ts'
import { file_chain_sudo_v1_tx } from '../gen/chain/sudo/v1/tx_pb.ts'
import { file_chain_tokenfactory_v1_event } from '../gen/chain/tokenfactory/v1/event_pb.ts'
import { file_chain_tokenfactory_v1_query } from '../gen/chain/tokenfactory/v1/query_pb.ts'
import { file_chain_tokenfactory_v1_state } from '../gen/chain/tokenfactory/v1/state_pb.ts'
import { file_chain_tokenfactory_v1_tx } from '../gen/chain/tokenfactory/v1/tx_pb.ts'
import { file_chain_types_v1_account } from '../gen/chain/types/v1/account_pb.ts'
import { file_google_api_annotations } from '../gen/google/api/annotations_pb.ts'
import { file_google_api_http } from '../gen/google/api/http_pb.ts'
import { file_google_rpc_status } from '../gen/google/rpc/status_pb.ts'
import { file_grpc_health_v1_health } from '../gen/grpc/health/v1/health_pb.ts'
import { file_grpc_reflection_v1_reflection } from '../gen/grpc/reflection/v1/reflection_pb.ts'
import { file_grpc_reflection_v1alpha_reflection } from '../gen/grpc/reflection/v1alpha/reflection_pb.ts'
import { file_sdk_auth_v1beta1_auth } from '../gen/sdk/auth/v1beta1/auth_pb.ts'
import { file_sdk_auth_v1beta1_genesis } from '../gen/sdk/auth/v1beta1/genesis_pb.ts'
import { file_sdk_auth_v1beta1_query } from '../gen/sdk/auth/v1beta1/query_pb.ts'
import { file_sdk_auth_v1beta1_tx } from '../gen/sdk/auth/v1beta1/tx_pb.ts'
import { file_sdk_authz_v1beta1_authz } from '../gen/sdk/authz/v1beta1/authz_pb.ts'
import { file_sdk_authz_v1beta1_event } from '../gen/sdk/authz/v1beta1/event_pb.ts'
import { file_sdk_authz_v1beta1_genesis } from '../gen/sdk/authz/v1beta1/genesis_pb.ts'
import { file_sdk_authz_v1beta1_query } from '../gen/sdk/authz/v1beta1/query_pb.ts'
import { file_sdk_authz_v1beta1_tx } from '../gen/sdk/authz/v1beta1/tx_pb.ts'
import { file_sdk_bank_v1beta1_authz } from '../gen/sdk/bank/v1beta1/authz_pb.ts'
import { file_sdk_bank_v1beta1_bank } from '../gen/sdk/bank/v1beta1/bank_pb.ts'
import { file_sdk_bank_v1beta1_genesis } from '../gen/sdk/bank/v1beta1/genesis_pb.ts'
import { file_sdk_bank_v1beta1_query } from '../gen/sdk/bank/v1beta1/query_pb.ts'
import { file_sdk_bank_v1beta1_tx } from '../gen/sdk/bank/v1beta1/tx_pb.ts'
import { file_sdk_base_abci_v1beta1_abci } from '../gen/sdk/base/abci/v1beta1/abci_pb.ts'
import { file_sdk_base_node_v1beta1_query } from '../gen/sdk/base/node/v1beta1/query_pb.ts'
import { file_sdk_base_query_v1beta1_pagination } from '../gen/sdk/base/query/v1beta1/pagination_pb.ts'
import { file_sdk_base_tendermint_v1beta1_query } from '../gen/sdk/base/tendermint/v1beta1/query_pb.ts'
import { file_sdk_base_tendermint_v1beta1_types } from '../gen/sdk/base/tendermint/v1beta1/types_pb.ts'
import { file_sdk_base_v1beta1_coin } from '../gen/sdk/base/v1beta1/coin_pb.ts'
import { file_sdk_consensus_v1_query } from '../gen/sdk/consensus/v1/query_pb.ts'
import { file_sdk_consensus_v1_tx } from '../gen/sdk/consensus/v1/tx_pb.ts'
import { file_sdk_crypto_ed25519_keys } from '../gen/sdk/crypto/ed25519/keys_pb.ts'
import { file_sdk_crypto_multisig_keys } from '../gen/sdk/crypto/multisig/keys_pb.ts'
import { file_sdk_crypto_multisig_v1beta1_multisig } from '../gen/sdk/crypto/multisig/v1beta1/multisig_pb.ts'
import { file_sdk_crypto_secp256k1_keys } from '../gen/sdk/crypto/secp256k1/keys_pb.ts'
import { file_sdk_crypto_secp256r1_keys } from '../gen/sdk/crypto/secp256r1/keys_pb.ts'
import { file_sdk_distribution_v1beta1_distribution } from '../gen/sdk/distribution/v1beta1/distribution_pb.ts'
import { file_sdk_distribution_v1beta1_genesis } from '../gen/sdk/distribution/v1beta1/genesis_pb.ts'
import { file_sdk_distribution_v1beta1_query } from '../gen/sdk/distribution/v1beta1/query_pb.ts'
import { file_sdk_distribution_v1beta1_tx } from '../gen/sdk/distribution/v1beta1/tx_pb.ts'
import { file_sdk_evidence_v1beta1_evidence } from '../gen/sdk/evidence/v1beta1/evidence_pb.ts'
import { file_sdk_evidence_v1beta1_genesis } from '../gen/sdk/evidence/v1beta1/genesis_pb.ts'
import { file_sdk_feegrant_v1beta1_feegrant } from '../gen/sdk/feegrant/v1beta1/feegrant_pb.ts'
import { file_sdk_feegrant_v1beta1_genesis } from '../gen/sdk/feegrant/v1beta1/genesis_pb.ts'
import { file_sdk_feegrant_v1beta1_query } from '../gen/sdk/feegrant/v1beta1/query_pb.ts'
import { file_sdk_feegrant_v1beta1_tx } from '../gen/sdk/feegrant/v1beta1/tx_pb.ts'
import { file_sdk_gov_v1_genesis } from '../gen/sdk/gov/v1/genesis_pb.ts'
import { file_sdk_gov_v1_gov } from '../gen/sdk/gov/v1/gov_pb.ts'
import { file_sdk_gov_v1_query } from '../gen/sdk/gov/v1/query_pb.ts'
import { file_sdk_gov_v1_tx } from '../gen/sdk/gov/v1/tx_pb.ts'
import { file_sdk_gov_v1beta1_gov } from '../gen/sdk/gov/v1beta1/gov_pb.ts'
import { file_sdk_gov_v1beta1_query } from '../gen/sdk/gov/v1beta1/query_pb.ts'
import { file_sdk_gov_v1beta1_tx } from '../gen/sdk/gov/v1beta1/tx_pb.ts'
import { file_sdk_msg_v1_msg } from '../gen/sdk/msg/v1/msg_pb.ts'
import { file_sdk_slashing_v1beta1_genesis } from '../gen/sdk/slashing/v1beta1/genesis_pb.ts'
import { file_sdk_slashing_v1beta1_query } from '../gen/sdk/slashing/v1beta1/query_pb.ts'
import { file_sdk_slashing_v1beta1_slashing } from '../gen/sdk/slashing/v1beta1/slashing_pb.ts'
import { file_sdk_slashing_v1beta1_tx } from '../gen/sdk/slashing/v1beta1/tx_pb.ts'
import { file_sdk_staking_v1beta1_authz } from '../gen/sdk/staking/v1beta1/authz_pb.ts'
import { file_sdk_staking_v1beta1_genesis } from '../gen/sdk/staking/v1beta1/genesis_pb.ts'
import { file_sdk_staking_v1beta1_query } from '../gen/sdk/staking/v1beta1/query_pb.ts'
import { file_sdk_staking_v1beta1_staking } from '../gen/sdk/staking/v1beta1/staking_pb.ts'
import { file_sdk_staking_v1beta1_tx } from '../gen/sdk/staking/v1beta1/tx_pb.ts'
import { file_sdk_tx_signing_v1beta1_signing } from '../gen/sdk/tx/signing/v1beta1/signing_pb.ts'
import { file_sdk_tx_v1beta1_service } from '../gen/sdk/tx/v1beta1/service_pb.ts'
import { file_sdk_tx_v1beta1_tx } from '../gen/sdk/tx/v1beta1/tx_pb.ts'
import { file_sdk_upgrade_v1beta1_query } from '../gen/sdk/upgrade/v1beta1/query_pb.ts'
import { file_sdk_upgrade_v1beta1_tx } from '../gen/sdk/upgrade/v1beta1/tx_pb.ts'
import { file_sdk_upgrade_v1beta1_upgrade } from '../gen/sdk/upgrade/v1beta1/upgrade_pb.ts'
import { file_sdk_vesting_v1beta1_vesting } from '../gen/sdk/vesting/v1beta1/vesting_pb.ts'
import { file_tendermint_abci_types } from '../gen/tendermint/abci/types_pb.ts'
import { file_tendermint_crypto_keys } from '../gen/tendermint/crypto/keys_pb.ts'
import { file_tendermint_crypto_proof } from '../gen/tendermint/crypto/proof_pb.ts'
import { file_tendermint_p2p_types } from '../gen/tendermint/p2p/types_pb.ts'
import { file_tendermint_types_block } from '../gen/tendermint/types/block_pb.ts'
import { file_tendermint_types_evidence } from '../gen/tendermint/types/evidence_pb.ts'
import { file_tendermint_types_params } from '../gen/tendermint/types/params_pb.ts'
import { file_tendermint_types_types } from '../gen/tendermint/types/types_pb.ts'
import { file_tendermint_types_validator } from '../gen/tendermint/types/validator_pb.ts'
import { file_tendermint_version_types } from '../gen/tendermint/version/types_pb.ts'

export const files: readonly DescFile[] = [
  file_almanac_options,
  file_amino_amino,
  file_chain_crypto_v1_ethsecp256k1_keys,
  file_chain_devgas_v1_devgas,
  file_chain_devgas_v1_query,
  file_chain_devgas_v1_tx,
  file_chain_epochs_v1beta1_epochs,
  file_chain_epochs_v1beta1_query,
  file_chain_errors_v1_errors,
  file_chain_evm_v1_events,
  file_chain_evm_v1_evm,
  file_chain_evm_v1_genesis,
  file_chain_evm_v1_query,
  file_chain_evm_v1_tx,
  file_chain_inflation_v1_inflation,
  file_chain_inflation_v1_query,
  file_chain_inflation_v1_tx,
  file_chain_oracle_v1beta1_event,
  file_chain_oracle_v1beta1_genesis,
  file_chain_oracle_v1beta1_oracle,
  file_chain_oracle_v1beta1_query,
  file_chain_oracle_v1beta1_tx,
  file_chain_sudo_v1_event,
  file_chain_sudo_v1_query,
  file_chain_sudo_v1_state,
  file_chain_sudo_v1_tx,
  file_chain_tokenfactory_v1_event,
  file_chain_tokenfactory_v1_query,
  file_chain_tokenfactory_v1_state,
  file_chain_tokenfactory_v1_tx,
  file_chain_types_v1_account,
  file_google_api_annotations,
  file_google_api_http,
  file_google_rpc_status,
  file_grpc_health_v1_health,
  file_grpc_reflection_v1_reflection,
  file_grpc_reflection_v1alpha_reflection,
  file_sdk_auth_v1beta1_auth,
  file_sdk_auth_v1beta1_genesis,
  file_sdk_auth_v1beta1_query,
  file_sdk_auth_v1beta1_tx,
  file_sdk_authz_v1beta1_authz,
  file_sdk_authz_v1beta1_event,
  file_sdk_authz_v1beta1_genesis,
  file_sdk_authz_v1beta1_query,
  file_sdk_authz_v1beta1_tx,
  file_sdk_bank_v1beta1_authz,
  file_sdk_bank_v1beta1_bank,
  file_sdk_bank_v1beta1_genesis,
  file_sdk_bank_v1beta1_query,
  file_sdk_bank_v1beta1_tx,
  file_sdk_base_abci_v1beta1_abci,
  file_sdk_base_node_v1beta1_query,
  file_sdk_base_query_v1beta1_pagination,
  file_sdk_base_tendermint_v1beta1_query,
  file_sdk_base_tendermint_v1beta1_types,
  file_sdk_base_v1beta1_coin,
  file_sdk_consensus_v1_query,
  file_sdk_consensus_v1_tx,
  file_sdk_crypto_ed25519_keys,
  file_sdk_crypto_multisig_keys,
  file_sdk_crypto_multisig_v1beta1_multisig,
  file_sdk_crypto_secp256k1_keys,
  file_sdk_crypto_secp256r1_keys,
  file_sdk_distribution_v1beta1_distribution,
  file_sdk_distribution_v1beta1_genesis,
  file_sdk_distribution_v1beta1_query,
  file_sdk_distribution_v1beta1_tx,
  file_sdk_evidence_v1beta1_evidence,
  file_sdk_evidence_v1beta1_genesis,
  file_sdk_feegrant_v1beta1_feegrant,
  file_sdk_feegrant_v1beta1_genesis,
  file_sdk_feegrant_v1beta1_query,
  file_sdk_feegrant_v1beta1_tx,
  file_sdk_gov_v1_genesis,
  file_sdk_gov_v1_gov,
  file_sdk_gov_v1_query,
  file_sdk_gov_v1_tx,
  file_sdk_gov_v1beta1_gov,
  file_sdk_gov_v1beta1_query,
  file_sdk_gov_v1beta1_tx,
  file_sdk_msg_v1_msg,
  file_sdk_slashing_v1beta1_genesis,
  file_sdk_slashing_v1beta1_query,
  file_sdk_slashing_v1beta1_slashing,
  file_sdk_slashing_v1beta1_tx,
  file_sdk_staking_v1beta1_authz,
  file_sdk_staking_v1beta1_genesis,
  file_sdk_staking_v1beta1_query,
  file_sdk_staking_v1beta1_staking,
  file_sdk_staking_v1beta1_tx,
  file_sdk_tx_signing_v1beta1_signing,
  file_sdk_tx_v1beta1_service,
  file_sdk_tx_v1beta1_tx,
  file_sdk_upgrade_v1beta1_query,
  file_sdk_upgrade_v1beta1_tx,
  file_sdk_upgrade_v1beta1_upgrade,
  file_sdk_vesting_v1beta1_vesting,
  file_tendermint_abci_types,
  file_tendermint_crypto_keys,
  file_tendermint_crypto_proof,
  file_tendermint_p2p_types,
  file_tendermint_types_block,
  file_tendermint_types_evidence,
  file_tendermint_types_params,
  file_tendermint_types_types,
  file_tendermint_types_validator,
  file_tendermint_version_types,
]

/** All types and services, the well-known types that an Any may hold included. */
export const registry: Registry = createRegistry(...files, TimestampSchema, DurationSchema, EmptySchema)

export const services: readonly DescService[] = files.flatMap((file) => file.services)

/** `/package.Service/Method` of a method. */
export function methodPath(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`
}

/** Methods by `/package.Service/Method`. */
export const methods: ReadonlyMap<string, DescMethod> = new Map(
  services.flatMap((service) => service.methods.map((method) => [methodPath(method), method])),
)

/** A message type by its neutral full name. */
export function messageType(typeName: string): DescMessage | undefined {
  return registry.getMessage(typeName)
}
