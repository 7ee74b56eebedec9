import { create, toBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { Query } from '../gen/sdk/bank/v1beta1/query_pb.ts'
import { MsgSendSchema } from '../gen/sdk/bank/v1beta1/tx_pb.ts'
import { TxRawSchema } from '../gen/sdk/tx/v1beta1/tx_pb.ts'
import { almanac } from '../identity/profiles/almanac.ts'
import { concat, formatHex, formatUtf8, hex, utf8 } from '../primitives/bytes.ts'
import { keccak256, sha256 } from '../primitives/hash.ts'
import { signBytesWith } from './crypto.ts'
import { decodePublicKey } from './public-key.ts'
import { aminoSignJson, directSignBytes, signBytesOf } from './sign-bytes.ts'
import { isSignedBy } from './signature.ts'
import { testContext } from './testing.ts'
import { decodeTx, signersOfTx } from './tx.ts'

// One transfer from alice to bob, signed in each way with keys that follow from their names.
const alice = hex('a19f552b9abf7b1e4bef81be79b2b15946140fae57049f0ed7cf958a72affdce')
const msgSend = hex(
  '0a2c636861696e3171666a7173667330387266756777657837643534396c6563616a61323370356a63656a6e3537122c636861696e31726838753671326c7864717a6373617837366a68386635306863796e633770366d75363363681a100a07756e617469766512053132333435',
)
const body = concat(
  hex('0a8b010a192f73646b2e62616e6b2e763162657461312e4d736753656e64126e'),
  msgSend,
  hex('120568656c6c6f'),
)
const authInfo = hex(
  '0a4d0a430a1c2f73646b2e63727970746f2e736563703235366b312e5075624b657912230a21028768753c35e03391bd60988496c8239e533acb21f60046036d098fa21bf30eb312040a020801180312170a110a07756e6174697665120632303030303010c09a0c',
)
const aminoAuthInfo = hex(formatHex(authInfo).replace('12040a020801', '12040a02087f'))
const signature = hex(
  '0c34514d762c138c56f7d4f65ebd28fd309fce10847abf8b1b5b2bd2e49beae953dc46091ca9e24c5ce37b228ec9cc0f535f809ec4cde26e800f5e408f414dfa',
)
const aminoSignature = hex(
  '28d905c88b2c8f927df9766282394af80cc33efd022c9a45d22c5d66406aec8337c702f6a3ec58f1ac775571d4fcc5ec38ff3fcb1f8e4e6e3721a09e0e27521d',
)
const facts = { chainId: 'almanac-localnet-1', accountNumber: 7n, sequence: 3n }

const ctx = testContext({
  app: {
    isRouted: (name) => name === MsgSendSchema.typeName,
    message: (name) => (name === MsgSendSchema.typeName ? MsgSendSchema : undefined),
  },
})

function raw(bodyBytes: Uint8Array, authInfoBytes: Uint8Array, ...signatures: Uint8Array[]): Uint8Array {
  return toBinary(TxRawSchema, create(TxRawSchema, { bodyBytes, authInfoBytes, signatures }))
}

function decode(bytes: Uint8Array) {
  return decodeTx(ctx.app, ctx.identity, bytes)
}

function keyOf(tx: ReturnType<typeof decode>) {
  return decodePublicKey(ctx.identity, tx.authInfo.signerInfos[0]!.publicKey!)
}

describe('a transfer signed in protobuf form', () => {
  const tx = decode(raw(body, authInfo, signature))

  test('has the hash of its 324 bytes, its message and its signer', () => {
    expect(tx.bytes.length).toBe(324)
    expect(formatHex(tx.hash()).toUpperCase()).toBe('8044E8A35808917BD48DCF9AB3E84F6A0D45969660B4ABAC401FA93F5FEBA3E2')
    expect(tx.messages[0]!.message).toMatchObject({ amount: [{ denom: 'unative', amount: '12345' }] })
    expect(signersOfTx(ctx, tx).map(formatHex)).toEqual(['026408260f38d3c43b26f36952ff38ecbaa88692'])
  })

  test('has sign bytes of 280 bytes, which the known signature signs', () => {
    const [bytes] = signBytesOf(ctx, tx, 1, facts)
    expect(bytes!.length).toBe(280)
    expect(formatHex(sha256(bytes!))).toBe('ca7b5193f10a51bc9afdaec43b6be9f58e5a08ab709717fd5a7593094dc121eb')
    expect(formatHex(signBytesWith('secp256k1', bytes!, alice))).toBe(formatHex(signature))
    expect(isSignedBy(ctx, tx, keyOf(tx), tx.authInfo.signerInfos[0]!.modeInfo, signature, facts)).toBe(true)
  })

  test('a signature is not valid for another chain or account number, or with a high s', () => {
    const { modeInfo } = tx.authInfo.signerInfos[0]!
    const check = (s: Uint8Array, f: typeof facts) => isSignedBy(ctx, tx, keyOf(tx), modeInfo, s, f)
    expect(check(signature, { ...facts, chainId: 'other-1' })).toBe(false)
    expect(check(signature, { ...facts, accountNumber: 8n })).toBe(false)
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const highS = order - BigInt(`0x${formatHex(signature.slice(32))}`)
    expect(check(concat(signature.slice(0, 32), hex(highS.toString(16).padStart(64, '0'))), facts)).toBe(false)
  })
})

describe('a transfer signed in amino form', () => {
  const tx = decode(raw(body, aminoAuthInfo, aminoSignature))

  test('shows the expected text, and its signature is valid', () => {
    const text = formatUtf8(signBytesOf(ctx, tx, 127, facts)[0]!)
    expect(text).toBe(
      '{"account_number":"7","chain_id":"almanac-localnet-1","fee":{"amount":[{"amount":"200000","denom":"unative"}],"gas":"200000"},"memo":"hello","msgs":[{"type":"sdk/MsgSend","value":{"amount":[{"amount":"12345","denom":"unative"}],"from_address":"chain1qfjqsfs08rfugwex7d549lecaja23p5jcejn57","to_address":"chain1rh8u6q2lxdqzcsax76jh8f50hcync7p6mu63ch"}}],"sequence":"3"}',
    )
    expect(formatHex(sha256(utf8(text)))).toBe('514f4aeed23b1bcc3e76eed8ab2e5c083fb452372c1fc10d7d1dab5cdc9a4df4')
    expect(isSignedBy(ctx, tx, keyOf(tx), tx.authInfo.signerInfos[0]!.modeInfo, aminoSignature, facts)).toBe(true)
  })

  test('escapes HTML characters, writes an empty fee, and includes the timeout', () => {
    const { body: parts, authInfo: auth, messages } = tx
    const changed = {
      messages,
      hasNonCriticalFields: false,
      body: { ...parts, memo: 'a<b>&c', timeoutHeight: 500n },
      authInfo: { ...auth, fee: { ...auth.fee!, amount: [] } },
    }
    const names = { identity: almanac, app: ctx.app, toName: almanac.toProfileAmino }
    const text = aminoSignJson(names, changed, facts)
    expect(text).toContain('"memo":"a\\u003cb\\u003e\\u0026c"')
    expect(text.endsWith('"sequence":"3","timeout_height":"500"}')).toBe(true)
    expect(formatHex(sha256(utf8(text)))).toBe('a7d59233e75557ea46b39bc6da8fce47d7da26285ce67e81da41275a554114f6')
  })
})

test('an Ethereum key signs the keccak256 of the same sign bytes', () => {
  const send = hex(
    formatHex(msgSend).replace(
      formatHex(utf8('chain1qfjqsfs08rfugwex7d549lecaja23p5jcejn57')),
      formatHex(utf8('chain1q20a38hfp3gd96cpl6h90jatewtakrv60jhtue')),
    ),
  )
  const ethBody = concat(hex('0a8b010a192f73646b2e62616e6b2e763162657461312e4d736753656e64126e'), send)
  const ethKey = '/chain.crypto.v1.ethsecp256k1.PubKey'
  const key = hex('0a21028768753c35e03391bd60988496c8239e533acb21f60046036d098fa21bf30eb3')
  const any = concat(Uint8Array.of(0x0a, ethKey.length), utf8(ethKey), Uint8Array.of(0x12, key.length), key)
  const info = concat(Uint8Array.of(0x0a, any.length), any, hex('12040a020801'))
  const ethAuthInfo = concat(
    Uint8Array.of(0x0a, info.length),
    info,
    hex('12170a110a07756e6174697665120632303030303010c09a0c'),
  )
  const bytes = directSignBytes({ bodyBytes: ethBody, authInfoBytes: ethAuthInfo }, { ...facts, accountNumber: 8n })
  expect(formatHex(keccak256(bytes))).toBe('1e6b5929eaf28b062a6415c7de951ed761f1e79100b08a33f1d9d573a276c1a4')
  const signed = signBytesWith('ethSecp256k1', bytes, alice)
  expect(formatHex(signed)).toBe(
    'd86654fa70e0cd45102cee3eb6435c0da5b2bfaee15b25a443d936b2f06f8d48655c45f88a4e8221818cc1e5b9fa408dca5726e7bd2c7f899184de328bc519f7',
  )
  const tx = decode(raw(ethBody, ethAuthInfo, signed))
  expect(formatHex(tx.hash()).toUpperCase()).toBe('C15EFC995183E002816667759232E5EFEB232B28955CAC0486E1B40162641075')
  const { modeInfo } = tx.authInfo.signerInfos[0]!
  const at8 = { ...facts, accountNumber: 8n }
  expect(isSignedBy(ctx, tx, keyOf(tx), modeInfo, signed, at8)).toBe(true)
  expect(isSignedBy(ctx, tx, keyOf(tx), modeInfo, concat(signed, Uint8Array.of(1)), at8)).toBe(true)
})

describe('bytes that are not a canonical transaction are refused with sdk 2', () => {
  const good = raw(body, authInfo, signature)
  const cases: readonly (readonly [string, Uint8Array])[] = [
    ['fields out of order', concat(hex('1200'), hex('0a00'))],
    ['a body given twice', concat(hex('0a00'), hex('0a00'))],
    ['an unknown field', concat(good, hex('2200'))],
    ['a length with a superfluous byte', concat(hex('0a8000'))],
    ['a length beyond the end', hex('0a05ff')],
    ['a number instead of bytes', hex('0801')],
    ['a body that is not a message', raw(hex('ff'), authInfo, signature)],
    ['an unknown critical field in the body', raw(concat(body, hex('2a0161')), authInfo, signature)],
    ['an unknown field in the fees and signers', raw(body, concat(authInfo, hex('a2400161')), signature)],
    ['a message that no module handles', raw(hex('0a090a072f782e4d7367581200'), authInfo, signature)],
  ]
  test.each(cases)('%s', (_name, bytes) => {
    expect(() => decode(bytes)).toThrow(expect.objectContaining({ codespace: 'sdk', code: 2 }))
  })
})

test('an unknown non-critical field is ignored, except in amino form', () => {
  // Field 1024 has bit 11 set: tag 1024 << 3 | 2 = 0x2002.
  const tx = decode(raw(concat(body, hex('82400161')), aminoAuthInfo, aminoSignature))
  expect(tx.hasNonCriticalFields).toBe(true)
  expect(() => signBytesOf(ctx, tx, 127, facts)).toThrow('non-critical')
})

test('handlers are typed by the descriptors of the API', () => {
  expect(Query.method.allBalances.input.typeName).toBe('sdk.bank.v1beta1.QueryAllBalancesRequest')
})
