import { create, fromBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { MsgSendSchema } from '../gen/sdk/bank/v1beta1/tx_pb.ts'
import { TxRawSchema } from '../gen/sdk/tx/v1beta1/tx_pb.ts'
import { createIdentity } from '../identity/identity.ts'
import { profile } from '../identity/profiles/almanac.ts'
import { formatHex, utf8 } from '../primitives/bytes.ts'
import { sha256 } from '../primitives/hash.ts'
import { publicKeyOf } from '../sdk/crypto.ts'
import { encodeSigned, type TxPlan } from '../sdk/sign-tx.ts'
import type { Algorithm } from './keys/record.ts'

/** The expected bytes have neutral names. */
const neutral = createIdentity({ ...profile, names: { packages: {}, paths: {}, amino: {}, fields: {} } })
/** Private key of the example account. The expected bytes are those of the reference implementation. */
const ALICE = sha256(utf8('spec test key alice'))
const FEE = { gasLimit: 200_000n, amount: [{ denom: 'unative', amount: 200_000n }] }

function plan(algorithm: Algorithm, from: string, rest: Pick<TxPlan, 'memo' | 'accountNumber' | 'sequence'>): TxPlan {
  const publicKey = publicKeyOf(ALICE)
  return {
    identity: neutral,
    messages: [
      {
        schema: MsgSendSchema,
        message: create(MsgSendSchema, {
          fromAddress: from,
          toAddress: 'chain1rh8u6q2lxdqzcsax76jh8f50hcync7p6mu63ch',
          amount: [{ denom: 'unative', amount: '12345' }],
        }),
      },
    ],
    timeoutHeight: 0n,
    key: { algorithm, publicKey },
    chainId: 'almanac-localnet-1',
    ...rest,
  }
}

test('a transfer signed with a secp256k1 key matches the reference, byte for byte', () => {
  const alice = 'chain1qfjqsfs08rfugwex7d549lecaja23p5jcejn57'
  const tx = encodeSigned(plan('secp256k1', alice, { memo: 'hello', accountNumber: 7n, sequence: 3n }), FEE, ALICE)
  expect(tx.length).toBe(324)
  expect(formatHex(sha256(tx))).toBe('8044e8a35808917bd48dcf9ab3e84f6a0d45969660b4abac401fa93f5feba3e2')
  expect(formatHex(fromBinary(TxRawSchema, tx).signatures[0]!)).toBe(
    '0c34514d762c138c56f7d4f65ebd28fd309fce10847abf8b1b5b2bd2e49beae953dc46091ca9e24c5ce37b228ec9cc0f535f809ec4cde26e800f5e408f414dfa',
  )
})

test('a transfer signed with an eth_secp256k1 key matches the reference, byte for byte', () => {
  const alice = 'chain1q20a38hfp3gd96cpl6h90jatewtakrv60jhtue'
  const tx = encodeSigned(plan('eth_secp256k1', alice, { memo: '', accountNumber: 8n, sequence: 0n }), FEE, ALICE)
  expect(formatHex(sha256(tx))).toBe('c15efc995183e002816667759232e5efeb232b28955cac0486e1b40162641075')
})
