import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import {
  createMultisigThresholdPubkey,
  encodeSecp256k1Pubkey,
  makeSignDoc as makeAminoSignDoc,
  pubkeyToRawAddress,
  Secp256k1Wallet,
} from '@cosmjs/amino'
import { Registry, type TxBodyEncodeObject } from '@cosmjs/proto-signing'
import { AminoTypes, createDefaultAminoConverters, defaultRegistryTypes } from '@cosmjs/stargate'
import { expect, test } from 'vitest'
import { MultiSignatureSchema } from '../gen/sdk/crypto/multisig/v1beta1/multisig_pb.ts'
import { AuthInfoSchema, TxRawSchema } from '../gen/sdk/tx/v1beta1/tx_pb.ts'
import { almanac } from '../identity/profiles/almanac.ts'
import * as auth from '../modules/auth/keeper.ts'
import { formatBech32 } from '../primitives/address.ts'
import { formatHex, hex, utf8 } from '../primitives/bytes.ts'
import { sha256 } from '../primitives/hash.ts'
import { publicKeyOf } from '../sdk/crypto.ts'
import { encodePublicKey, type PublicKey } from '../sdk/public-key.ts'
import { createEmptyBranch } from '../store/branch.ts'
import { requireBlock } from './halt.ts'
import { localnetGenesis } from './localnet.ts'
import { testApplication } from './testing.ts'

// Transactions of CosmJS, with its hard-coded names (`/cosmos.…`, `cosmos-sdk/…`), are valid under the neutral identity (D18).
const CHAIN_ID = 'almanac-localnet-1'
const names = ['alice', 'bob', 'carol']
const privateKeys = names.map((name) => sha256(utf8(`spec test key ${name}`)))
const multisig = createMultisigThresholdPubkey(
  privateKeys.map((key) => encodeSecp256k1Pubkey(publicKeyOf(key))),
  2,
  true,
)
const multisigBytes = pubkeyToRawAddress(multisig)
const wallet = await Secp256k1Wallet.fromKey(privateKeys[0]!, 'chain')
const [signer] = await wallet.getAccounts()
const registry = new Registry(defaultRegistryTypes)
const aminoTypes = new AminoTypes(createDefaultAminoConverters())
const fee = { amount: [{ denom: 'unative', amount: '5000' }], gas: '200000' }
const recipient = formatBech32('chain', sha256(utf8('someone')).slice(0, 20))

function start() {
  const app = testApplication({ minGasPrices: '0.025unative' })
  const state = createEmptyBranch()
  const accounts = [pubkeyToRawAddress(encodeSecp256k1Pubkey(signer!.pubkey)), multisigBytes]
  app.initChain(
    localnetGenesis({
      identity: almanac,
      chainId: CHAIN_ID,
      genesisTime: '2024-01-01T00:00:00Z',
      accounts: accounts.map((address) => ({ address, balanceUnative: 1_000_000n })),
      validators: [{ publicKey: hex('6ec2a51822fba17c23db4abc276ac2fe0a4621323b49d0d82dfbc65b579e2dea') }],
    }),
    state,
  )
  app.resetCheckState(state, { height: 0n, timeNs: 0n })
  return { app, state }
}

const sendOf = (fromAddress: string) => ({
  typeUrl: '/cosmos.bank.v1beta1.MsgSend',
  value: { fromAddress, toAddress: recipient, amount: [{ denom: 'unative', amount: '7' }] },
})

function bodyOf(from: string): Uint8Array {
  const body: TxBodyEncodeObject = {
    typeUrl: '/cosmos.tx.v1beta1.TxBody',
    value: { messages: [sendOf(from)], memo: 'hello' },
  }
  return registry.encode(body)
}

async function aminoSignature(key: Uint8Array, from: string, accountNumber: number): Promise<Uint8Array> {
  const own = await Secp256k1Wallet.fromKey(key, 'chain')
  const [account] = await own.getAccounts()
  const doc = makeAminoSignDoc([aminoTypes.toAmino(sendOf(from))], fee, CHAIN_ID, 'hello', accountNumber, 0)
  const { signature } = await own.signAmino(account!.address, doc)
  return new Uint8Array(Buffer.from(signature.signature, 'base64'))
}

test('a transfer signed by CosmJS in amino form, with the names it knows, is admitted', async () => {
  const { app, state } = start()
  const key = create(AnySchema, {
    typeUrl: '/cosmos.crypto.secp256k1.PubKey',
    value: hex(`0a21${formatHex(signer!.pubkey)}`),
  })
  const authInfo = create(AuthInfoSchema, {
    signerInfos: [{ publicKey: key, modeInfo: { sum: { case: 'single', value: { mode: 127 } } } }],
    fee: { amount: fee.amount, gasLimit: 200_000n },
  })
  const raw = create(TxRawSchema, {
    bodyBytes: bodyOf(signer!.address),
    authInfoBytes: toBinary(AuthInfoSchema, authInfo),
    signatures: [await aminoSignature(privateKeys[0]!, signer!.address, 0)],
  })
  expect(app.check(toBinary(TxRawSchema, raw), 'check')).toMatchObject({ code: 0 })
  const output = requireBlock(
    app.executeBlock(state, {
      height: 1n,
      timeNs: 1n,
      proposer: new Uint8Array(20),
      hash: new Uint8Array(32),
      lastCommitHash: new Uint8Array(32),
      txs: [toBinary(TxRawSchema, raw)],
      lastCommitVotes: [],
      evidence: [],
    }),
  )
  expect(output.results[0]!.code).toBe(0)
  const header = {
    height: 1n,
    timeNs: 1n,
    proposer: new Uint8Array(20),
    hash: new Uint8Array(32),
    lastCommitHash: new Uint8Array(32),
  }
  const account = auth.getAccount(
    app.readContext(output.branch, header),
    pubkeyToRawAddress(encodeSecp256k1Pubkey(signer!.pubkey)),
  )
  // The stored key has the chain's own name.
  expect(account!.publicKey!.typeUrl).toBe('/cosmos.crypto.secp256k1.PubKey')
})

/** Returns the transaction of a multisig signed by its first keys. */
function assemble(bodyBytes: Uint8Array, signatures: Uint8Array[]): Uint8Array {
  const amino = { sum: { case: 'single', value: { mode: 127 } } } as const
  const bitarray = { extraBitsStored: 3, elems: Uint8Array.of((0xff << (8 - signatures.length)) & 0xff) }
  const modeInfos = signatures.map(() => amino)
  const key: PublicKey = {
    kind: 'multisig',
    threshold: 2,
    keys: privateKeys.map((privateKey) => ({ kind: 'secp256k1', key: publicKeyOf(privateKey) })),
  }
  const authInfo = create(AuthInfoSchema, {
    signerInfos: [
      {
        publicKey: encodePublicKey(almanac, key),
        modeInfo: { sum: { case: 'multi', value: { bitarray, modeInfos } } },
      },
    ],
    fee: { amount: fee.amount, gasLimit: 200_000n },
  })
  const combined = toBinary(MultiSignatureSchema, create(MultiSignatureSchema, { signatures }))
  const authInfoBytes = toBinary(AuthInfoSchema, authInfo)
  return toBinary(TxRawSchema, create(TxRawSchema, { bodyBytes, authInfoBytes, signatures: [combined] }))
}

test('two of three sign a multisig in the amino form of CosmJS; one is not enough', async () => {
  const from = formatBech32('chain', multisigBytes)
  const together = async (count: number) => {
    const signatures: Uint8Array[] = []
    for (const key of privateKeys.slice(0, count)) signatures.push(await aminoSignature(key, from, 1))
    return assemble(bodyOf(from), signatures)
  }
  const { app } = start()
  expect(app.check(await together(1), 'check')).toMatchObject({ code: 4, codespace: 'sdk' })
  const both = await together(2)
  expect(app.check(both, 'check')).toMatchObject({ code: 0 })
  const broken = fromBinary(TxRawSchema, both)
  broken.signatures[0]![10]! ^= 1
  expect(start().app.check(toBinary(TxRawSchema, broken), 'check')).toMatchObject({ code: 4 })
})
