/** Message types that an Any can contain regardless of the modules in the build: keys and accounts. */
import type { DescMessage } from '@bufbuild/protobuf'
import { PubKeySchema as EthSecp256k1Schema } from '../gen/chain/crypto/v1/ethsecp256k1/keys_pb.ts'
import { EthAccountSchema } from '../gen/chain/types/v1/account_pb.ts'
import { BaseAccountSchema, ModuleAccountSchema } from '../gen/sdk/auth/v1beta1/auth_pb.ts'
import { PubKeySchema as Ed25519Schema } from '../gen/sdk/crypto/ed25519/keys_pb.ts'
import { LegacyAminoPubKeySchema } from '../gen/sdk/crypto/multisig/keys_pb.ts'
import { PubKeySchema as Secp256k1Schema } from '../gen/sdk/crypto/secp256k1/keys_pb.ts'
import { PubKeySchema as Secp256r1Schema } from '../gen/sdk/crypto/secp256r1/keys_pb.ts'
import {
  ContinuousVestingAccountSchema,
  DelayedVestingAccountSchema,
  PeriodicVestingAccountSchema,
  PermanentLockedAccountSchema,
} from '../gen/sdk/vesting/v1beta1/vesting_pb.ts'

const TYPES: readonly DescMessage[] = [
  EthSecp256k1Schema,
  Ed25519Schema,
  LegacyAminoPubKeySchema,
  Secp256k1Schema,
  Secp256r1Schema,
  EthAccountSchema,
  BaseAccountSchema,
  ModuleAccountSchema,
  ContinuousVestingAccountSchema,
  DelayedVestingAccountSchema,
  PeriodicVestingAccountSchema,
  PermanentLockedAccountSchema,
]

/** Message types by neutral full name. */
export const knownTypes: ReadonlyMap<string, DescMessage> = new Map(TYPES.map((type) => [type.typeName, type]))
