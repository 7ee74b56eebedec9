import { create, type DescMessage, fromBinary, toBinary } from '@bufbuild/protobuf'
import { anyPack } from '@bufbuild/protobuf/wkt'
import { describe, expect, test } from 'vitest'
import { FeeShareSchema, ModuleParamsSchema } from '../gen/chain/devgas/v1/devgas_pb.ts'
import { EpochInfoSchema } from '../gen/chain/epochs/v1beta1/epochs_pb.ts'
import { FieldViolationSchema, HeightBoundsSchema } from '../gen/chain/errors/v1/errors_pb.ts'
import { ParamsSchema as EvmParamsSchema, FunTokenSchema } from '../gen/chain/evm/v1/evm_pb.ts'
import { ParamsSchema as InflationParamsSchema } from '../gen/chain/inflation/v1/inflation_pb.ts'
import { ExchangeRateAtBlockSchema } from '../gen/chain/oracle/v1beta1/oracle_pb.ts'
import { EthAccountSchema } from '../gen/chain/types/v1/account_pb.ts'
import { ParamsSchema as AuthParamsSchema, BaseAccountSchema } from '../gen/sdk/auth/v1beta1/auth_pb.ts'
import { MsgSendSchema } from '../gen/sdk/bank/v1beta1/tx_pb.ts'
import { PubKeySchema } from '../gen/sdk/crypto/secp256k1/keys_pb.ts'
import { MsgVoteSchema } from '../gen/sdk/gov/v1/tx_pb.ts'
import { ValidatorSchema } from '../gen/sdk/staking/v1beta1/staking_pb.ts'
import { SignMode } from '../gen/sdk/tx/signing/v1beta1/signing_pb.ts'
import { AuthInfoSchema, SignDocSchema, TxBodySchema } from '../gen/sdk/tx/v1beta1/tx_pb.ts'
import { PlanSchema } from '../gen/sdk/upgrade/v1beta1/upgrade_pb.ts'
import { concat, formatHex, hex, utf8 } from '../primitives/bytes.ts'
import { sha256 } from '../primitives/hash.ts'
import { complete } from './complete.ts'

const ALICE = 'chain1qfjqsfs08rfugwex7d549lecaja23p5jcejn57'
const BOB = 'chain1rh8u6q2lxdqzcsax76jh8f50hcync7p6mu63ch'
const ALICE_KEY = hex('028768753c35e03391bd60988496c8239e533acb21f60046036d098fa21bf30eb3')
const C = hex('aef9437ff23d48d73271a41a8a094dec9ac71477')

describe('stored and sent messages have the bytes of the reference implementation', () => {
  const send = create(MsgSendSchema, {
    fromAddress: ALICE,
    toAddress: BOB,
    amount: [{ denom: 'unative', amount: '12345' }],
  })
  const pubKey = {
    ...anyPack(PubKeySchema, create(PubKeySchema, { key: ALICE_KEY })),
    typeUrl: '/sdk.crypto.secp256k1.PubKey',
  }

  test('a bank send', () => {
    expect(formatHex(toBinary(MsgSendSchema, send))).toBe(
      '0a2c636861696e3171666a7173667330387266756777657837643534396c6563616a61323370356a63656a6e3537122c636861696e31726838753671326c7864717a6373617837366a68386635306863796e633770366d75363363681a100a07756e617469766512053132333435',
    )
    const body = toBinary(
      TxBodySchema,
      create(TxBodySchema, {
        messages: [{ typeUrl: '/sdk.bank.v1beta1.MsgSend', value: toBinary(MsgSendSchema, send) }],
        memo: 'hello',
      }),
    )
    expect(body.length).toBe(149)
    const authInfo = toBinary(
      AuthInfoSchema,
      create(AuthInfoSchema, {
        signerInfos: [
          {
            publicKey: pubKey,
            modeInfo: { sum: { case: 'single', value: { mode: SignMode.DIRECT } } },
            sequence: 3n,
          },
        ],
        fee: { amount: [{ denom: 'unative', amount: '200000' }], gasLimit: 200000n },
      }),
    )
    expect(formatHex(authInfo)).toBe(
      '0a4d0a430a1c2f73646b2e63727970746f2e736563703235366b312e5075624b657912230a21028768753c35e03391bd60988496c8239e533acb21f60046036d098fa21bf30eb312040a020801180312170a110a07756e6174697665120632303030303010c09a0c',
    )
    const signDoc = toBinary(
      SignDocSchema,
      create(SignDocSchema, {
        bodyBytes: body,
        authInfoBytes: authInfo,
        chainId: 'almanac-localnet-1',
        accountNumber: 7n,
      }),
    )
    expect(formatHex(sha256(signDoc))).toBe('ca7b5193f10a51bc9afdaec43b6be9f58e5a08ab709717fd5a7593094dc121eb')
  })

  test('an account, a vote and default parameters', () => {
    const account = create(BaseAccountSchema, { address: ALICE, pubKey, accountNumber: 7n, sequence: 3n })
    expect(formatHex(toBinary(BaseAccountSchema, account))).toBe(
      '0a2c636861696e3171666a7173667330387266756777657837643534396c6563616a61323370356a63656a6e353712430a1c2f73646b2e63727970746f2e736563703235366b312e5075624b657912230a21028768753c35e03391bd60988496c8239e533acb21f60046036d098fa21bf30eb318072003',
    )
    const vote = create(MsgVoteSchema, { proposalId: 1n, voter: ALICE, option: 1 })
    expect(formatHex(toBinary(MsgVoteSchema, vote))).toBe(
      '0801122c636861696e3171666a7173667330387266756777657837643534396c6563616a61323370356a63656a6e35371801',
    )
    const params = create(AuthParamsSchema, {
      maxMemoCharacters: 256n,
      txSigLimit: 7n,
      txSizeCostPerByte: 10n,
      sigVerifyCostEd25519: 590n,
      sigVerifyCostSecp256k1: 1000n,
    })
    expect(formatHex(toBinary(AuthParamsSchema, params))).toBe('0880021007180a20ce0428e807')
  })

  test('EVM parameters and a FunToken contain raw addresses', () => {
    const params = create(EvmParamsSchema, { createFuntokenFee: '10000000000', canonicalWnative: C })
    expect(formatHex(toBinary(EvmParamsSchema, params))).toBe(
      '4a0b31303030303030303030305214aef9437ff23d48d73271a41a8a094dec9ac71477',
    )
    const token = create(FunTokenSchema, { erc20Addr: C, bankDenom: 'unative', isMadeFromCoin: true })
    expect(formatHex(toBinary(FunTokenSchema, token))).toBe(
      '0a14aef9437ff23d48d73271a41a8a094dec9ac714771207756e61746976651801',
    )
  })

  test('an exchange rate', () => {
    const rate = create(ExchangeRateAtBlockSchema, {
      exchangeRate: '60000500000000000000000',
      createdBlock: 1000n,
      blockTimestampMs: 1700000000000n,
    })
    expect(formatHex(toBinary(ExchangeRateAtBlockSchema, rate))).toBe(
      '0a17363030303035303030303030303030303030303030303010e8071880d095ffbc31',
    )
  })

  const roundTrips: readonly [string, DescMessage, string][] = [
    [
      'inflation parameters with negative factors',
      InflationParamsSchema,
      '080112102d313437303835353234303030303030121137343239313938323736323030303030301a3c0a1232383132353030303030303030303030303012123335343832353030303030303030303030301a12333633393235303030303030303030303030201e280c30603801',
    ],
    ['an epoch', EpochInfoSchema, '0a036461791206088081c8ac061a040880a30520032a060880c7d2ac06300138e121'],
    ['devgas parameters', ModuleParamsSchema, '080112123530303030303030303030303030303030301a07756e6174697665'],
    [
      'the account of an EVM key',
      EthAccountSchema,
      '0a7f0a2c636861696e31713230613338686670336764393663706c366839306a6174657774616b727636306a68747565124b0a242f636861696e2e63727970746f2e76312e657468736563703235366b312e5075624b657912230a21028768753c35e03391bd60988496c8239e533acb21f60046036d098fa21bf30eb3180720051242307863356432343630313836663732333363393237653764623264636337303363306535303062363533636138323237336237626661643830343564383561343730',
    ],
    [
      'a validator with its zero times and decimals',
      ValidatorSchema,
      '0a33636861696e76616c6f7065723171666a7173667330387266756777657837643534396c6563616a61323370356a7a336e35327912400a1a2f73646b2e63727970746f2e656432353531392e5075624b657912220a20000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20032a07353030303030303219353030303030303030303030303030303030303030303030303a070a05616c6963654a0052440a3a0a11353030303030303030303030303030303012123230303030303030303030303030303030301a1131303030303030303030303030303030301206088081c8ac065a0131',
    ],
  ]
  test.each(roundTrips)('%s: decodes, and encodes to the same bytes', (_, schema, bytes) => {
    const message = fromBinary(schema, hex(bytes))
    expect(formatHex(toBinary(schema, complete(schema, message)))).toBe(bytes)
  })

  test('a devgas share', () => {
    const share = create(FeeShareSchema, {
      contractAddress: 'chain1f657hun09cye0xnxnl2xv57ty686cran9sgd8g',
      deployerAddress: 'chain1q20a38hfp3gd96cpl6h90jatewtakrv60jhtue',
      withdrawerAddress: 'chain1shkwtvnnwcf36ttgmk98uj8vwag7zzcl953qfy',
    })
    expect(formatHex(toBinary(FeeShareSchema, share))).toBe(
      '0a2c636861696e316636353768756e303963796530786e786e6c327876353774793638366372616e397367643867122c636861696e31713230613338686670336764393663706c366839306a6174657774616b727636306a687475651a2c636861696e3173686b7774766e6e77636633367474676d6b3938756a3876776167377a7a636c393533716679',
    )
  })

  test('non-null fields are on the wire even if unset', () => {
    const plan = complete(PlanSchema, create(PlanSchema, { name: 'v2', height: 5n }))
    expect(formatHex(toBinary(PlanSchema, plan))).toBe('0a027632120b088092b8c398feffffff011805')
    const epoch = complete(
      EpochInfoSchema,
      create(EpochInfoSchema, {
        identifier: 'day',
        startTime: { seconds: 1704067200n },
        duration: { seconds: 86400n },
      }),
    )
    expect(formatHex(toBinary(EpochInfoSchema, epoch))).toBe(
      '0a036461791206088081c8ac061a040880a3052a0b088092b8c398feffffff01',
    )
    const params = complete(ModuleParamsSchema, create(ModuleParamsSchema))
    expect(formatHex(toBinary(ModuleParamsSchema, params))).toBe('120130')
  })

  test('error details', () => {
    const bounds = create(HeightBoundsSchema, { requested: 5n, earliest: 10n, latest: 20n })
    expect(formatHex(toBinary(HeightBoundsSchema, bounds))).toBe('0805100a1814')
    const violation = create(FieldViolationSchema, { field: 'gas_cap', description: 'not a number' })
    expect(formatHex(toBinary(FieldViolationSchema, violation))).toBe(
      formatHex(concat(hex('0a07'), utf8('gas_cap'), hex('120c'), utf8('not a number'))),
    )
  })
})
