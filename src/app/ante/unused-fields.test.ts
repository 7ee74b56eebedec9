import { create, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { expect, test } from 'vitest'
import { MsgSendSchema } from '../../gen/sdk/bank/v1beta1/tx_pb.ts'
import { MultiSignatureSchema } from '../../gen/sdk/crypto/multisig/v1beta1/multisig_pb.ts'
import { SignMode } from '../../gen/sdk/tx/signing/v1beta1/signing_pb.ts'
import { AuthInfoSchema, TxBodySchema, TxRawSchema } from '../../gen/sdk/tx/v1beta1/tx_pb.ts'
import { createIdentity } from '../../identity/identity.ts'
import { almanac, profile } from '../../identity/profiles/almanac.ts'
import type { Identity } from '../../identity/types.ts'
import { formatBech32 } from '../../primitives/address.ts'
import { concat, EMPTY, hex } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import { publicKeyOf, signBytesWith } from '../../sdk/crypto.ts'
import { addressOf, encodePublicKey, type PublicKey } from '../../sdk/public-key.ts'
import { directSignBytes } from '../../sdk/sign-bytes.ts'
import { createEmptyBranch } from '../../store/branch.ts'
import { requireBlock } from '../halt.ts'
import { localnetGenesis } from '../localnet.ts'
import { testApplication } from '../testing.ts'

const CHAIN_ID = 'almanac-localnet-1'
const KEY = sha256(Uint8Array.of(1))
const SINGLE: PublicKey = { kind: 'secp256k1', key: publicKeyOf(KEY) }
const MULTISIG: PublicKey = { kind: 'multisig', threshold: 1, keys: [SINGLE] }
const BLOCK = {
  height: 1n,
  timeNs: 1_704_067_201_000_000_000n,
  proposer: EMPTY,
  hash: sha256(EMPTY),
  lastCommitHash: EMPTY,
}
const lenient = createIdentity({ ...profile, behaviours: ['unusedFieldsPass'] })

interface Extras {
  /** Bytes after the fields of a part. */
  readonly inBody?: Uint8Array
  readonly inMessage?: Uint8Array
  readonly tip?: boolean
  /** Changes the signature. */
  readonly signature?: (signature: Uint8Array) => Uint8Array
}

/** Executes a transfer with unused parts, all of them signed in mode DIRECT; returns code and log. */
function execute(key: PublicKey, extras: Extras, identity: Identity = almanac): readonly [number, unknown] {
  const address = addressOf(identity, key)
  const text = formatBech32('chain', address)
  const { inBody = EMPTY, inMessage = EMPTY, tip = false, signature: change = (same) => same } = extras
  const message = create(MsgSendSchema, {
    fromAddress: text,
    toAddress: text,
    amount: [{ denom: 'unative', amount: '5' }],
  })
  const value = concat(toBinary(MsgSendSchema, message), inMessage)
  const messages = [{ typeUrl: `/${MsgSendSchema.typeName}`, value }]
  const bodyBytes = concat(toBinary(TxBodySchema, create(TxBodySchema, { messages })), inBody)
  const single = { sum: { case: 'single' as const, value: { mode: SignMode.DIRECT } } }
  const multi = {
    sum: {
      case: 'multi' as const,
      value: { bitarray: { extraBitsStored: 1, elems: Uint8Array.of(0x80) }, modeInfos: [single] },
    },
  }
  const authInfo = create(AuthInfoSchema, {
    signerInfos: [
      {
        publicKey: create(AnySchema, encodePublicKey(identity, key)),
        modeInfo: key.kind === 'multisig' ? multi : single,
      },
    ],
    fee: { amount: [{ denom: 'unative', amount: '300' }], gasLimit: 200_000n },
    ...(tip && { tip: { tipper: text } }),
  })
  const authInfoBytes = toBinary(AuthInfoSchema, authInfo)
  const own = signBytesWith(
    'secp256k1',
    directSignBytes({ bodyBytes, authInfoBytes }, { chainId: CHAIN_ID, accountNumber: 0n }),
    KEY,
  )
  const whole =
    key.kind === 'multisig' ? toBinary(MultiSignatureSchema, create(MultiSignatureSchema, { signatures: [own] })) : own
  const tx = toBinary(TxRawSchema, create(TxRawSchema, { bodyBytes, authInfoBytes, signatures: [change(whole)] }))
  const app = testApplication({ identity })
  const state = createEmptyBranch()
  const accounts = [{ address, balanceUnative: 1_000_000n }]
  const validators = [{ publicKey: sha256(Uint8Array.of(9)) }]
  app.initChain(
    localnetGenesis({ identity, chainId: CHAIN_ID, genesisTime: '2024-01-01T00:00:00Z', accounts, validators }),
    state,
  )
  const block = { ...BLOCK, txs: [tx], lastCommitVotes: [], evidence: [] }
  const [result] = requireBlock(app.executeBlock(state, block)).results
  return [result!.code, result!.log]
}

/** Field 2046 with the value 1. */
const NON_CRITICAL = hex('f07f01')
const UNKNOWN = [2, 'unknown non-critical field in the body or a message: tx parse error']

test('unknown fields and a tip are refused, even if they are signed', () => {
  expect(execute(SINGLE, {})[0]).toBe(0)
  expect(execute(SINGLE, { inBody: NON_CRITICAL })).toEqual(UNKNOWN)
  expect(execute(SINGLE, { inMessage: NON_CRITICAL })).toEqual(UNKNOWN)
  expect(execute(SINGLE, { tip: true })).toEqual([
    18,
    'auth_info.tip must be absent: the chain pays no tips: invalid request',
  ])
})

test('under the behaviour they pass', () => {
  for (const extras of [{ inBody: NON_CRITICAL }, { inMessage: NON_CRITICAL }, { tip: true }]) {
    expect(execute(SINGLE, extras, lenient)[0]).toBe(0)
  }
})

test('nothing can be put into a multisignature', () => {
  expect(execute(MULTISIG, {})[0]).toBe(0)
  expect(execute(MULTISIG, { signature: (whole) => concat(whole, NON_CRITICAL) })[0]).toBe(4)
  const longer = (whole: Uint8Array) =>
    concat(whole.subarray(0, 1), Uint8Array.of(whole[1]! | 0x80, 0), whole.subarray(2))
  expect(execute(MULTISIG, { signature: longer })[0]).toBe(4)
})
