/** The interfaces of Cosmos SDK chains: what an `Any` can contain, by the kind of its content. */
import type { DescMessage } from '@bufbuild/protobuf'
import { modulesOf } from '../../app/modules.ts'
import { PubKeySchema as EthSecp256k1Schema } from '../../gen/chain/crypto/v1/ethsecp256k1/keys_pb.ts'
import { ExtensionOptionsEthereumTxSchema } from '../../gen/chain/evm/v1/tx_pb.ts'
import { EthAccountSchema } from '../../gen/chain/types/v1/account_pb.ts'
import { BaseAccountSchema, ModuleAccountSchema } from '../../gen/sdk/auth/v1beta1/auth_pb.ts'
import { GenericAuthorizationSchema } from '../../gen/sdk/authz/v1beta1/authz_pb.ts'
import { SendAuthorizationSchema } from '../../gen/sdk/bank/v1beta1/authz_pb.ts'
import { PubKeySchema as Ed25519Schema } from '../../gen/sdk/crypto/ed25519/keys_pb.ts'
import { LegacyAminoPubKeySchema } from '../../gen/sdk/crypto/multisig/keys_pb.ts'
import { PubKeySchema as Secp256k1Schema } from '../../gen/sdk/crypto/secp256k1/keys_pb.ts'
import { PubKeySchema as Secp256r1Schema } from '../../gen/sdk/crypto/secp256r1/keys_pb.ts'
import { EquivocationSchema } from '../../gen/sdk/evidence/v1beta1/evidence_pb.ts'
import {
  AllowedMsgAllowanceSchema,
  BasicAllowanceSchema,
  PeriodicAllowanceSchema,
} from '../../gen/sdk/feegrant/v1beta1/feegrant_pb.ts'
import { TextProposalSchema } from '../../gen/sdk/gov/v1beta1/gov_pb.ts'
import { StakeAuthorizationSchema } from '../../gen/sdk/staking/v1beta1/authz_pb.ts'
import { TxSchema } from '../../gen/sdk/tx/v1beta1/tx_pb.ts'
import {
  CancelSoftwareUpgradeProposalSchema,
  SoftwareUpgradeProposalSchema,
} from '../../gen/sdk/upgrade/v1beta1/upgrade_pb.ts'
import {
  ContinuousVestingAccountSchema,
  DelayedVestingAccountSchema,
  PeriodicVestingAccountSchema,
  PermanentLockedAccountSchema,
} from '../../gen/sdk/vesting/v1beta1/vesting_pb.ts'
import type { Identity } from '../../identity/types.ts'
import { cachePerObject } from '../../primitives/cache.ts'

/** Neutral name of the interface of messages. */
export const MESSAGES = 'sdk.base.v1beta1.Msg'

const VESTING = [
  ContinuousVestingAccountSchema,
  DelayedVestingAccountSchema,
  PeriodicVestingAccountSchema,
  PermanentLockedAccountSchema,
]
const ACCOUNTS = [BaseAccountSchema, EthAccountSchema, ModuleAccountSchema, ...VESTING]

const FIXED: Readonly<Record<string, readonly DescMessage[]>> = {
  'sdk.auth.v1beta1.AccountI': ACCOUNTS,
  'sdk.auth.v1beta1.GenesisAccount': ACCOUNTS,
  'sdk.authz.v1beta1.Authorization': [GenericAuthorizationSchema, SendAuthorizationSchema, StakeAuthorizationSchema],
  'sdk.crypto.PubKey': [
    ...[EthSecp256k1Schema, Ed25519Schema, LegacyAminoPubKeySchema, Secp256k1Schema],
    Secp256r1Schema,
  ],
  'sdk.evidence.v1beta1.Evidence': [EquivocationSchema],
  'sdk.feegrant.v1beta1.FeeAllowanceI': [AllowedMsgAllowanceSchema, BasicAllowanceSchema, PeriodicAllowanceSchema],
  'sdk.gov.v1beta1.Content': [CancelSoftwareUpgradeProposalSchema, SoftwareUpgradeProposalSchema, TextProposalSchema],
  'sdk.tx.v1beta1.Tx': [TxSchema],
  'sdk.tx.v1beta1.TxExtensionOptionI': [ExtensionOptionsEthereumTxSchema],
  'sdk.vesting.v1beta1.VestingAccount': VESTING,
}

/** Returns the types of each interface by its neutral name, in the order of the names. */
export const interfacesOf = cachePerObject((identity: Identity): ReadonlyMap<string, readonly DescMessage[]> => {
  const routes = modulesOf(identity).flatMap(({ messages }) => messages.flatMap(({ handlers }) => handlers.routes))
  const all = {
    ...FIXED,
    [MESSAGES]: routes.map(({ method }) => method.input),
    'sdk.tx.v1beta1.MsgResponse': routes.map(({ method }) => method.output),
  }
  const byName = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
  return new Map(
    Object.entries(all)
      .sort(([a], [b]) => byName(a, b))
      .map(([name, types]) => [name, types.toSorted((a, b) => byName(a.typeName, b.typeName))]),
  )
})
