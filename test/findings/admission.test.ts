/** Published attacks on what a chain of this family admits: see docs/security-findings.md. */
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { expect, test } from 'vitest'
import { encodeTransaction } from '../../src/evm/transaction/encode.ts'
import type { ParamsSchema as EvmParamsSchema } from '../../src/gen/chain/evm/v1/evm_pb.ts'
import {
  MsgEthereumTxSchema,
  MsgUpdateParamsSchema as MsgUpdateEvmParamsSchema,
} from '../../src/gen/chain/evm/v1/tx_pb.ts'
import { MsgExecSchema } from '../../src/gen/sdk/authz/v1beta1/tx_pb.ts'
import { MsgSendSchema } from '../../src/gen/sdk/bank/v1beta1/tx_pb.ts'
import { CompactBitArraySchema, MultiSignatureSchema } from '../../src/gen/sdk/crypto/multisig/v1beta1/multisig_pb.ts'
import { MsgCommunityPoolSpendSchema } from '../../src/gen/sdk/distribution/v1beta1/tx_pb.ts'
import { MsgSubmitProposalSchema } from '../../src/gen/sdk/gov/v1/tx_pb.ts'
import {
  MsgCreateValidatorSchema,
  MsgDelegateSchema,
  MsgEditValidatorSchema,
} from '../../src/gen/sdk/staking/v1beta1/tx_pb.ts'
import { SignMode } from '../../src/gen/sdk/tx/signing/v1beta1/signing_pb.ts'
import { type AuthInfoSchema, TxBodySchema } from '../../src/gen/sdk/tx/v1beta1/tx_pb.ts'
import { almanac } from '../../src/identity/profiles/almanac.ts'
import * as auth from '../../src/modules/auth/keeper.ts'
import * as bank from '../../src/modules/bank/keeper.ts'
import { packTxData } from '../../src/modules/evm/tx-data.ts'
import { formatBech32, formatEip55 } from '../../src/primitives/address.ts'
import { EMPTY, formatHex0x, utf8 } from '../../src/primitives/bytes.ts'
import { keccak256, sha256 } from '../../src/primitives/hash.ts'
import { governance } from '../../src/sdk/authority.ts'
import { publicKeyOf, signBytesWith } from '../../src/sdk/crypto.ts'
import { addressOf, encodePublicKey } from '../../src/sdk/public-key.ts'
import { directSignBytes } from '../../src/sdk/sign-bytes.ts'
import {
  assembled,
  CHAIN_ID,
  type Chain,
  FUNDS,
  message,
  signed,
  signedEvm,
  startChain,
  UNIT_WEI,
  users,
  wrapped,
} from './chain.ts'

const [alice, bob, carol] = users as [(typeof users)[0], (typeof users)[0], (typeof users)[0]]
const ETHEREUM_OPTION = { typeUrl: '/chain.evm.v1.ExtensionOptionsEthereumTx', value: EMPTY }
const held = (chain: Chain, who: Uint8Array) => bank.balance(chain.read(), who, 'unative')

/** Returns an Ethereum transaction of Alice as a message: a payment of one native to Bob. */
function ethereumMessage() {
  const tx = signedEvm(alice, { to: bob.address, valueWei: 10n ** 18n })
  const hash = formatHex0x(keccak256(encodeTransaction(tx)))
  return { data: packTxData(almanac, tx), hash }
}

/** Packs a message, encoded without checks. */
function packedAny<Schema extends DescMessage>(schema: Schema, init: MessageInitShape<Schema>) {
  return create(AnySchema, { typeUrl: `/${schema.typeName}`, value: toBinary(schema, create(schema, init)) })
}

const packed = () => packedAny(MsgEthereumTxSchema, ethereumMessage())

const sendOf = (amount: string) => ({
  fromAddress: alice.text,
  toAddress: bob.text,
  amount: [{ denom: 'unative', amount }],
})
const sendAny = (amount: string) => packedAny(MsgSendSchema, sendOf(amount))

/** Checks that the pool and a block refuse a transaction, and that a block with it changes no balance of Alice and Bob. */
function expectRefused(tx: Uint8Array, name?: string): string {
  expect(startChain().check(tx).code, name).not.toBe(0)
  return expectFailed(tx, name)
}

/** Checks that a transaction fails in a block, which changes no balance of Alice and Bob. Returns codespace and code. */
function expectFailed(tx: Uint8Array, name?: string): string {
  const chain = startChain()
  const [result] = chain.block(tx).results
  expect(result!.code, name).not.toBe(0)
  expect([held(chain, alice.address), held(chain, bob.address)], name).toEqual([FUNDS, FUNDS])
  return `${result!.codespace} ${result!.code}`
}

const authority = formatBech32('chain', governance)
const evmParams = (params: MessageInitShape<typeof EvmParamsSchema>) =>
  packedAny(MsgUpdateEvmParamsSchema, { authority, params })

/** Returns a proposal of Carol with one message and the deposit that opens the vote. */
const proposalOf = (content: Any) =>
  message(MsgSubmitProposalSchema, {
    messages: [content],
    initialDeposit: [{ denom: 'unative', amount: '10000000' }],
    proposer: carol.text,
    title: 't',
    summary: 's',
  })

test('a proposal that an export could not print for an import is refused', () => {
  const spend = { authority, recipient: carol.text, amount: [{ denom: 'unative', amount: 'abc' }] }
  const odd = [evmParams({ createFuntokenFee: '1.5' }), packedAny(MsgCommunityPoolSpendSchema, spend)]
  for (const content of odd) {
    expect(expectFailed(signed(carol, [proposalOf(content)]), content.typeUrl)).toBe('sdk 18')
  }
})

test('a proposal with an EVM address of any length is exported with the 20 bytes that its execution reads', () => {
  const odd = [new Uint8Array(2).fill(1), new Uint8Array(255).fill(1), utf8(formatHex0x(bob.address))]
  const read = [`0x${'00'.repeat(18)}0101`, `0x${'01'.repeat(20)}`, formatEip55(bob.address)]
  const chain = startChain()
  for (const [i, canonicalWnative] of odd.entries()) {
    const content = evmParams({ canonicalWnative, createFuntokenFee: '1' })
    const [result] = chain.block(signed(carol, [proposalOf(content)], { sequence: BigInt(i) })).results
    expect(result!.code).toBe(0)
  }
  const document = chain.exported()
  const { proposals } = document.app_state['gov'] as unknown as {
    proposals: { messages: { params: { canonical_wnative: string } }[] }[]
  }
  expect(proposals.map(({ messages }) => messages[0]!.params.canonical_wnative)).toEqual(read)
  expect(startChain({ edit: () => document }).exported().app_state['gov']).toEqual(document.app_state['gov'])
})

test('an Ethereum transaction is refused as an ordinary message, in an execution and in a proposal', () => {
  const exec = message(MsgExecSchema, { grantee: carol.text, msgs: [packed()] })
  const nested = message(MsgExecSchema, {
    grantee: carol.text,
    msgs: [packedAny(MsgExecSchema, { grantee: carol.text, msgs: [packed()] })],
  })
  expectRefused(signed(carol, [message(MsgEthereumTxSchema, ethereumMessage())]), 'plain')
  expectRefused(signed(carol, [exec]), 'execution')
  expectRefused(signed(carol, [nested]), 'nested execution')
  expect(expectFailed(signed(carol, [proposalOf(packed())]), 'proposal')).toBe('gov 13')
})

test('the extension option of Ethereum transactions does not free an ordinary message from fee and signature', () => {
  const body = { messages: [sendAny('1000')], extensionOptions: [ETHEREUM_OPTION] }
  expect(expectRefused(assembled(body, { fee: { gasLimit: 200_000n } }))).toBe('sdk 6')
  const mixed = { messages: [packed(), sendAny('1000')], extensionOptions: [ETHEREUM_OPTION] }
  expect(expectRefused(assembled(mixed, { fee: { gasLimit: 200_000n } }))).toBe('sdk 6')
})

test('two Ethereum transactions in one envelope are refused, so that none takes nonce, gas or refund of the other', () => {
  const body = { messages: [packed(), packed()], extensionOptions: [ETHEREUM_OPTION] }
  const fee = { amount: [{ denom: 'unative', amount: '2000000' }], gasLimit: 2_000_000n }
  expect(expectRefused(assembled(body, { fee }))).toBe('sdk 6')
})

test('an Ethereum transaction executes once, and not before its nonce', () => {
  const chain = startChain()
  const pay = (nonce: bigint) => wrapped(alice, { nonce, to: bob.address, valueWei: 7n * UNIT_WEI, gasLimit: 21_000n })
  const codes = (...txs: Uint8Array[]) => chain.block(...txs).results.map(({ code }) => code)
  expect(codes(pay(1n), pay(0n), pay(0n))).toEqual([32, 0, 32])
  expect(codes(pay(0n), pay(1n), pay(1n))).toEqual([32, 0, 32])
  expect(codes(pay(1n), pay(0n))).toEqual([32, 32])
  expect(held(chain, bob.address)).toBe(FUNDS + 14n)
})

test('an ordinary transaction executes once, and only on its chain', () => {
  const chain = startChain()
  const tx = signed(alice, [message(MsgSendSchema, sendOf('5'))])
  expect(chain.block(tx, tx).results.map(({ code }) => code)).toEqual([0, 32])
  expect(chain.block(tx).results[0]!.code).toBe(32)
  expect(held(chain, bob.address)).toBe(FUNDS + 5n)
})

test.each([
  'ethermint.types.v1.ExtensionOptionsWeb3Tx',
  'cosmos.evm.eip712.v1.ExtensionOptionsWeb3Tx',
  'ethermint.types.v1.ExtensionOptionDynamicFeeTx',
])('a transaction with the extension %s is refused: its typed data would omit signed fields', (name) => {
  const body = { messages: [sendAny('5')], extensionOptions: [{ typeUrl: `/${name}`, value: EMPTY }] }
  expect(() => expectRefused(assembled(body, { fee: { gasLimit: 200_000n } }, [EMPTY]))).not.toThrow()
})

test.each([
  'cosmos.crisis.v1beta1.MsgVerifyInvariant',
  'cosmos.group.v1.MsgSubmitProposal',
  'cosmos.distribution.v1beta1.MsgDepositValidatorRewardsPool',
  'cosmos.circuit.v1.MsgAuthorizeCircuitBreaker',
  'cosmos.feegrant.v1beta1.MsgPruneAllowances',
  'cosmos.evidence.v1beta1.MsgSubmitEvidence',
  'cosmos.protocolpool.v1.MsgFundCommunityPool',
  'ibc.core.channel.v1.MsgRecvPacket',
  'ibc.applications.transfer.v1.MsgTransfer',
  'cosmwasm.wasm.v1.MsgExecuteContract',
])('the message %s is unknown, alone and in an execution', (name) => {
  const any = create(AnySchema, { typeUrl: `/${name}`, value: EMPTY })
  const alone = assembled({ messages: [any] }, { fee: { gasLimit: 200_000n } }, [EMPTY])
  expect(expectRefused(alone)).toBe('sdk 2')
  const exec = message(MsgExecSchema, { grantee: carol.text, msgs: [any] })
  expectRefused(signed(carol, [exec]))
})

test('amounts beyond 256 bits are refused in coins, fees and delegations, without a bug', () => {
  const huge = (2n ** 256n).toString()
  const longest = '9'.repeat(1000)
  for (const amount of [huge, longest, `-${huge}`, '0x10', '1e80', '', ' 1']) {
    expectRefused(signed(carol, [message(MsgSendSchema, { ...sendOf(amount), fromAddress: carol.text })]), amount)
    const delegation = { denom: 'unative', amount }
    const validatorAddress = formatBech32('chainvaloper', alice.address)
    const init = { delegatorAddress: carol.text, validatorAddress, amount: delegation }
    expectRefused(signed(carol, [message(MsgDelegateSchema, init)]), amount)
    const body = { messages: [sendAny('5')] }
    const fee = { amount: [{ denom: 'unative', amount }], gasLimit: 200_000n }
    const signerInfos = [{ modeInfo: { sum: { case: 'single' as const, value: { mode: SignMode.DIRECT } } } }]
    expectRefused(assembled(body, { signerInfos, fee }, [EMPTY]), amount)
  }
  const most = (2n ** 256n - 1n).toString()
  expect(expectFailed(signed(carol, [message(MsgSendSchema, { ...sendOf(most), fromAddress: carol.text })]))).toBe(
    'sdk 5',
  )
})

test('a transaction without fee, signers or modes is refused, without a bug', () => {
  const body = { messages: [sendAny('5')] }
  const fee = { amount: [{ denom: 'unative', amount: '200000' }], gasLimit: 200_000n }
  const single = { sum: { case: 'single' as const, value: { mode: SignMode.DIRECT } } }
  const key = create(AnySchema, encodePublicKey(almanac, { kind: 'ethSecp256k1', key: publicKeyOf(alice.key) }))
  const unset = create(AnySchema, {})
  const parts: MessageInitShape<typeof AuthInfoSchema>[] = [
    {},
    { fee },
    { signerInfos: [{}] },
    { fee, signerInfos: [{}] },
    { fee, signerInfos: [{ modeInfo: {} }] },
    { fee, signerInfos: [{ publicKey: unset, modeInfo: single }] },
    { fee, signerInfos: [{ publicKey: key, modeInfo: { sum: { case: 'multi' as const, value: {} } } }] },
    { fee, signerInfos: [{ publicKey: key, modeInfo: single }, {}] },
    { tip: {}, signerInfos: [{ publicKey: key, modeInfo: single }] },
  ]
  for (const [i, part] of parts.entries()) {
    for (const signatures of [[], [EMPTY], [new Uint8Array(64)], [EMPTY, EMPTY]]) {
      expectRefused(assembled(body, part, signatures), `${i} with ${signatures.length}`)
    }
  }
  expectRefused(new Uint8Array(0), 'no bytes')
  expectRefused(assembled({}, { fee }), 'no message')
})

test('a multisig whose bits, modes and signatures differ in number is refused, without a bug', () => {
  const keys = [1, 2, 3].map((n) => sha256(Uint8Array.of(n, 77)))
  const multisig = {
    kind: 'multisig',
    threshold: 2,
    keys: keys.map((key) => ({ kind: 'secp256k1', key: publicKeyOf(key) }) as const),
  } as const
  const address = addressOf(almanac, multisig)
  const text = formatBech32('chain', address)
  const single = { sum: { case: 'single' as const, value: { mode: SignMode.DIRECT } } }
  const chain = startChain()
  const fund = { fromAddress: carol.text, toAddress: text, amount: [{ denom: 'unative', amount: '1000000000' }] }
  expect(chain.block(signed(carol, [message(MsgSendSchema, fund)])).results[0]!.code).toBe(0)
  const accountNumber = auth.getAccount(chain.read(), address)!.number

  const transfer = (bits: { elems: Uint8Array; extraBitsStored: number } | undefined, modes: number, count: number) => {
    const value = toBinary(MsgSendSchema, create(MsgSendSchema, { ...sendOf('5'), fromAddress: text }))
    const body = { messages: [create(AnySchema, { typeUrl: `/${MsgSendSchema.typeName}`, value })] }
    const bitarray = bits ? create(CompactBitArraySchema, bits) : undefined
    const info = {
      publicKey: create(AnySchema, encodePublicKey(almanac, multisig)),
      modeInfo: {
        sum: {
          case: 'multi' as const,
          value: { ...(bitarray && { bitarray }), modeInfos: Array.from({ length: modes }, () => single) },
        },
      },
    }
    const fee = { amount: [{ denom: 'unative', amount: '1000000' }], gasLimit: 1_000_000n }
    const draft = assembled(body, { signerInfos: [info], fee })
    const { bodyBytes, authInfoBytes } = splitRaw(draft)
    const signBytes = directSignBytes({ bodyBytes, authInfoBytes }, { chainId: CHAIN_ID, accountNumber })
    const signatures = keys.slice(0, count).map((key) => signBytesWith('secp256k1', signBytes, key))
    const joined = toBinary(MultiSignatureSchema, create(MultiSignatureSchema, { signatures }))
    return assembled(body, { signerInfos: [info], fee }, [joined])
  }
  const bits = (first: number, extraBitsStored: number, length = 1) => ({
    elems: Uint8Array.from({ length }, () => first),
    extraBitsStored,
  })
  const wrong = [
    transfer(undefined, 2, 2),
    transfer(bits(0xc0, 3, 0), 2, 2),
    transfer(bits(0xc0, 3, 5), 2, 2),
    transfer(bits(0xc0, 0), 2, 2),
    transfer(bits(0xc0, 2), 2, 2),
    transfer(bits(0xc0, 4), 2, 2),
    transfer(bits(0xc0, 8), 2, 2),
    transfer(bits(0xc0, 0xffff_ffff), 2, 2),
    transfer(bits(0xe0, 3), 2, 2),
    transfer(bits(0xc0, 3), 1, 2),
    transfer(bits(0xc0, 3), 3, 2),
    transfer(bits(0xc0, 3), 2, 1),
    transfer(bits(0xc0, 3), 2, 3),
    transfer(bits(0x80, 3), 1, 1),
    transfer(bits(0x00, 3), 0, 0),
  ]
  const before = held(chain, bob.address)
  for (const tx of wrong) expect(chain.check(tx).code).not.toBe(0)
  expect(chain.block(...wrong).results.every(({ code }) => code !== 0)).toBe(true)
  expect(held(chain, bob.address)).toBe(before)
  // Bits of keys one and two, their modes and their signatures.
  expect(chain.block(transfer(bits(0xc0, 3), 2, 2)).results[0]!.code).toBe(0)
})

/** Returns the parts of TxRaw bytes that were assembled here: both lengths are varints of the first two fields. */
function splitRaw(raw: Uint8Array): { readonly bodyBytes: Uint8Array; readonly authInfoBytes: Uint8Array } {
  let offset = 0
  const field = () => {
    offset++
    let length = 0
    let shift = 0
    for (;;) {
      const byte = raw[offset++]!
      length += (byte & 0x7f) * 2 ** shift
      shift += 7
      if (byte < 0x80) break
    }
    offset += length
    return raw.subarray(offset - length, offset)
  }
  return { bodyBytes: field(), authInfoBytes: field() }
}

test('a body that names the extension twice, or in the list that can be ignored, is refused', () => {
  const fee = { amount: [{ denom: 'unative', amount: '1000000' }], gasLimit: 1_000_000n }
  const twice = create(TxBodySchema, { messages: [packed()], extensionOptions: [ETHEREUM_OPTION, ETHEREUM_OPTION] })
  expectRefused(assembled(twice, { fee }))
  const ignored = create(TxBodySchema, { messages: [packed()], nonCriticalExtensionOptions: [ETHEREUM_OPTION] })
  expectRefused(assembled(ignored, { fee }))
})

test('a commission above the maximum is refused inside an execution too', () => {
  const creation = (rate: bigint) => ({
    description: { moniker: 'm' },
    commission: { rate: rate.toString(), maxRate: (10n ** 18n).toString(), maxChangeRate: '0' },
    minSelfDelegation: '1',
    delegatorAddress: carol.text,
    validatorAddress: formatBech32('chainvaloper', carol.address),
    pubkey: encodePublicKey(almanac, { kind: 'ed25519', key: sha256(carol.address) }),
    value: { denom: 'unative', amount: '1000000' },
  })
  const wrap = <Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>, grantee: string) => {
    const value = toBinary(schema, create(schema, init))
    return message(MsgExecSchema, { grantee, msgs: [create(AnySchema, { typeUrl: `/${schema.typeName}`, value })] })
  }
  const high = creation(251n * 10n ** 15n)
  const code = (tx: Uint8Array) => startChain().block(tx).results[0]!.code
  expect(code(signed(carol, [message(MsgCreateValidatorSchema, creation(250n * 10n ** 15n))]))).toBe(0)
  expect(expectFailed(signed(carol, [message(MsgCreateValidatorSchema, high)]))).toBe('sdk 18')
  // A creation has two signers, which no execution can have.
  expect(expectFailed(signed(carol, [wrap(MsgCreateValidatorSchema, high, carol.text)]))).toBe('authz 9')
  const edit = {
    description: { moniker: 'm' },
    validatorAddress: formatBech32('chainvaloper', alice.address),
    commissionRate: (251n * 10n ** 15n).toString(),
    minSelfDelegation: '',
  }
  const plain = startChain().block(signed(alice, [message(MsgEditValidatorSchema, edit)])).results[0]!
  const inside = startChain().block(signed(alice, [wrap(MsgEditValidatorSchema, edit, alice.text)])).results[0]!
  expect(plain.code).not.toBe(0)
  expect([inside.codespace, inside.code]).toEqual([plain.codespace, plain.code])
})
